/** Steps that change nothing: which blocks there are, and which of them make what others read. */

import { touchedBuffers } from "../facts/depends.ts";
import { reads, writes } from "../facts/touches.ts";
import type { Block, Program, Var } from "../ir/types.ts";
import { blocksOf, statements } from "../ir/walk.ts";
import { blockAt, loopAt, outermostBlocks, type Step } from "./find.ts";

const inside = (outer: Block, inner: Block): boolean => outer !== inner && [...statements(outer)].includes(inner);
const apart = (a: Block, b: Block): boolean => a !== b && !inside(a, b) && !inside(b, a);

/** The blocks that write something a block reads. */
export function producers(p: Program, name: string, step: Step): readonly string[] {
  const { block } = blockAt(p, name, step);
  return blocksOf(p)
    .filter((b) => apart(b, block) && touchedBuffers(b).some((x) => writes(b, x) && reads(block, x)))
    .map((b) => b.name);
}
/** The blocks that read something a block writes. */
export function consumers(p: Program, name: string, step: Step): readonly string[] {
  const { block } = blockAt(p, name, step);
  return blocksOf(p)
    .filter((b) => apart(b, block) && touchedBuffers(block).some((x) => writes(block, x) && reads(b, x)))
    .map((b) => b.name);
}
/** The outermost blocks in a block or a loop. */
export function childBlocks(p: Program, of: string | Var, step: Step): readonly string[] {
  const body = typeof of === "string" ? blockAt(p, of, step).block.body : loopAt(p, of, step).loop.body;
  return [...outermostBlocks(body)].map((b) => b.name);
}
