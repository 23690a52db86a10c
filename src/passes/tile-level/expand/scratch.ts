import { type Op, walkOps } from "../../../ir/index.ts";
import type { Code } from "../../facts/index.ts";

/** Shared memory through which the warps of a tile give each other elements, and the barrier at which they meet. */
export interface Scratch {
  /** The numbers of the buffers, by the warps that exchange elements through them. */
  readonly buffers: Map<string, number>;
  /** The numbers of the barriers that the author uses. */
  readonly barriers: ReadonlySet<number>;
  readonly threads: number;
}

/** The literal numbers of barriers in a kernel. */
function barriersOf({ body }: Code): ReadonlySet<number> {
  const literals = new Map<number, number>();
  const ids = new Set<number>();
  walkOps(body, (op) => {
    const [result] = op.results;
    if (op.name === "const" && result) literals.set(result.id, Number((op as Op<"const">).attrs.value));
    if (op.name === "bar.sync" || op.name === "bar.arrive") ids.add(literals.get((op as Op<"bar.sync">).operands.id.id) ?? -1);
  });
  return ids;
}

export const scratchOf = (code: Code): Scratch => ({
  buffers: new Map(),
  barriers: barriersOf(code),
  threads: code.launch.block.reduce((n, extent) => n * extent, 1),
});
