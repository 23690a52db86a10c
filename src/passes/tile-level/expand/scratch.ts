import { noSpans } from "../../../diag/index.ts";
import { type Op, type SharedBuffer, walkOps } from "../../../ir/index.ts";
import type { Code } from "../../facts/index.ts";

/** Shared memory through which the warps of a tile give each other elements, and the barrier at which they meet. */
export interface Scratch {
  /** Bytes that the most demanding exchange takes, by the warps that take part in it. */
  readonly bytes: Map<string, { readonly buffer: number; bytes: number }>;
  /** The number of the first buffer that is not the author's. */
  readonly nextBuffer: number;
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

export const scratchOf = (code: Code, nextBuffer: number): Scratch => ({
  bytes: new Map(),
  nextBuffer,
  barriers: barriersOf(code),
  threads: code.launch.block.reduce((n, extent) => n * extent, 1),
});

/** The buffers that the exchanges need. */
export const scratchBuffers = ({ bytes }: Scratch): readonly SharedBuffer[] =>
  [...bytes.values()].map(({ buffer, bytes: size }) => ({
    id: buffer,
    name: `exchange${buffer}`,
    bytes: size,
    align: 16,
    spans: noSpans,
  }));
