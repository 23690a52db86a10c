/** What passes of the pipeline share: the schedule that they rewrite, and the loops and blocks that they have made. */
import { intOf } from "../ir/build.ts";
import type { Scope, Stmt } from "../ir/types.ts";
import { blocksOf, loopsOf, statements } from "../ir/walk.ts";
import type { BlockRef, LoopRef, Schedule } from "../schedule.ts";
import { factorsOf } from "./contraction.ts";
import type { Plan } from "./plan.ts";

/** Loops of the product, from the outside in. */
export const loopNames = [
  "batch",
  "blockRows",
  "blockColumns",
  "warpRows",
  "warpColumns",
  "trips",
  "rows",
  "columns",
  "depth",
  "groups",
  "tileRows",
  "tileColumns",
] as const;
export type LoopName = (typeof loopNames)[number];

/** A block that copies a tile from memory to memory. */
export interface TileCopy {
  readonly block: BlockRef;
  /** It copies a tile of A or B, anew for each trip through K. */
  readonly operand: boolean;
  /** The loop over all elements of the tile, once there is one. */
  all?: LoopRef;
}
/** A block that an instruction takes the place of. */
export interface Tensorized {
  readonly block: BlockRef;
  readonly intrinsic: string;
  /** So many loops are what it does. */
  readonly loops: number;
}

export interface Working {
  readonly sch: Schedule;
  readonly plan: Plan;
  readonly product: BlockRef;
  /** The loops that there are. One of one iteration may have been taken away. */
  readonly loops: Map<LoopName, LoopRef>;
  readonly copies: TileCopy[];
  readonly tensorized: Tensorized[];
  /** Blocks that load operands into registers. */
  readonly loads: BlockRef[];
  /** Blocks that copy matrices into larger ones and back. */
  readonly padding: BlockRef[];
}

/** One pass. */
export interface PipelinePass {
  readonly name: string;
  readonly run: (w: Working) => void;
}

/** A loop as it is now, that a pass of before has made. */
export function loopOf(w: Working, name: LoopName): LoopRef {
  const found = w.loops.get(name);
  if (!found) throw new Error(`the pipeline has no loop for ${name}`);
  return found;
}

export function setLoops(w: Working, made: Partial<Record<LoopName, LoopRef>>): void {
  for (const name of loopNames) {
    const loop = made[name];
    if (loop) w.loops.set(name, loop);
  }
}

/** The innermost of the loops that there are, up to one. */
export function innermost(w: Working, upTo: LoopName): LoopRef | undefined {
  return loopNames
    .slice(0, loopNames.indexOf(upTo) + 1)
    .flatMap((n) => w.loops.get(n) ?? [])
    .at(-1);
}

/** How many iterations a loop has. */
export function extentOf(w: Working, loop: LoopRef): number | undefined {
  const found = loopsOf(w.sch.program).find((l) => l.variable === loop.variable);
  return found && intOf(found.extent);
}

/** Takes away those of the product's loops that have one iteration. That over tiles of K stays where another warpgroup makes its copies. */
export function dropSingleTrips(w: Working): void {
  for (const [name, loop] of w.loops)
    if (extentOf(w, loop) === 1 && !(name === "trips" && w.plan.tma)) {
      w.sch.dropLoop(loop);
      w.loops.delete(name);
    }
}

/** The copies that threads make: TMA makes those of A and B where the plan says so. */
export const copiesByThreads = ({ copies, plan }: Working): readonly TileCopy[] =>
  copies.filter(({ operand }) => !operand || !plan.tma);

/** The body of a block, wherever it stands. */
export function bodyOf(w: Working, block: BlockRef): Stmt {
  const found = blocksOf(w.sch.program).find((b) => b.name === block.name);
  if (!found) throw new Error(`the pipeline has no block '${block.name}'`);
  return found.body;
}
/** The buffer that a block which copies writes. */
export function writtenBy(w: Working, block: BlockRef): string {
  for (const s of statements(bodyOf(w, block))) if (s.kind === "store") return s.buffer.name;
  throw new Error(`'${block.name}' stores nothing`);
}

/** Lets the product write C into another scope: the block that copies it back, and the one that copies it in, where the product adds to it. */
export function cachedC(
  { sch, product }: Working,
  scope: Scope,
  at: LoopRef | undefined,
): { readonly out: BlockRef; readonly into: BlockRef | undefined } {
  const before = new Set(sch.getBlocks().map((b) => b.name));
  const out = sch.cacheWrite(product, 0, scope, at);
  return { out, into: sch.getBlocks().find((b) => !before.has(b.name) && b.name !== out.name) };
}

/** The names of the buffers that the product takes A and B from, as it is now. */
export function operandsOf(w: Working): readonly [a: string, b: string] {
  const block = blocksOf(w.sch.program).find((b) => b.name === w.product.name);
  const factors = block && factorsOf(block);
  if (!factors) throw new Error(`'${w.product.name}' is no product any more`);
  const names = factors.map((f) => f.buffer.name) as [string, string];
  return w.plan.contraction.aIsLeft ? names : [names[1], names[0]];
}

/** The last two loops around a block. */
export function lastTwo(w: Working, block: BlockRef): readonly [LoopRef, LoopRef] {
  const [x, y] = w.sch.getLoops(block).slice(-2);
  if (!x || !y) throw new Error(`'${block.name}' has fewer than two loops`);
  return [x, y];
}

/** A loop in two, the inner one of so many iterations. */
export function splitBy(w: Working, loop: LoopRef, inner: number): readonly [LoopRef, LoopRef] {
  const [x, y] = w.sch.split(loop, [null, inner]);
  if (!x || !y) throw new Error("split gives two loops");
  return [x, y];
}
