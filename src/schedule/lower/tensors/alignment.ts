/** Where tensors of a launch begin, as far as lowering cares. */

import type { TensorSpec } from "../../../base/types.ts";
import { TensorObject } from "../../../dsl/emit.ts";
import { alignment } from "../../../kernel/index.ts";

/**
 * Bytes that divide the address of a tensor's first element: of a tensor of the host, and the same of what stands for it while a kernel is
 * recorded. A part of another tensor may begin at any element; a spec is taken to begin where memory of a device does.
 */
export const alignmentOf = (spec: TensorSpec): number => (spec instanceof TensorObject ? spec.parts.type.align : alignment(spec));
