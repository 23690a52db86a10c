import { first } from "../../ir/arith.ts";
import { isScalar, isTile, isView } from "../../ir/index.ts";
import { zeroLike } from "../numbers/constant.ts";
import { wrap } from "../numbers/operands.ts";
import { Staged } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";

/** What stands for a value of that type where nobody reads it; undefined where nothing can. Emits. */
export function blankLike(trace: Trace, { value }: Staged): Staged | undefined {
  if (isScalar(value.type)) return wrap(zeroLike(value));
  if (isTile(value.type)) return new Staged(first(trace.emit("tile.zero", {}, {}, { types: [value.type] })));
  if (isView(value.type)) return new Staged(first(trace.emit("view.undef", {}, {}, { types: [value.type] })));
  return undefined;
}
