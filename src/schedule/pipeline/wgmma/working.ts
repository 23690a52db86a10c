/** What the passes share: the schedule that they rewrite, and the loops and blocks that they have made. */
import { blocksOf } from "../../ir/walk.ts";
import type { BlockRef, LoopRef, Schedule } from "../../schedule.ts";
import { loopOfAxis } from "../contraction.ts";
import type { WgmmaPlan } from "./plan.ts";

type LoopName = "tiles" | "warpgroups" | "trips" | "rows" | "columns" | "depth";

/** The blocks that copy. */
export interface Padding {
  /** A and B into larger matrices. */
  readonly operands: readonly BlockRef[];
  /** What belongs to the result; undefined where the tile divides its rows and columns. */
  readonly back: BlockRef | undefined;
}

export interface WgmmaWorking {
  readonly sch: Schedule;
  readonly plan: WgmmaPlan;
  readonly product: BlockRef;
  readonly loops: Map<LoopName, LoopRef>;
  /** Blocks that copy matrices into larger ones and back; undefined where the tile divides them. */
  padding?: Padding | undefined;
  /** Blocks that an intrinsic takes the place of, with the number of loops that it stands for. */
  readonly tensorized: { readonly block: BlockRef; readonly intrinsic: string; readonly loops: number }[];
}

/** One pass. */
export interface WgmmaPass {
  readonly name: string;
  readonly run: (w: WgmmaWorking) => void;
}

/** A loop that a pass of before has made. */
export function loopOf({ loops }: WgmmaWorking, name: LoopName): LoopRef {
  const found = loops.get(name);
  if (!found) throw new Error(`the pipeline has no loop for ${name}`);
  return found;
}

/** A loop in two, the inner one of so many iterations. */
export function splitBy({ sch }: WgmmaWorking, loop: LoopRef, inner: number): readonly [LoopRef, LoopRef] {
  const [x, y] = sch.split(loop, [null, inner]);
  if (!x || !y) throw new Error("split gives two loops");
  return [x, y];
}

/** The loop that an axis of the product takes its value from. */
export function driving({ sch, product }: WgmmaWorking, axis: number): LoopRef {
  const block = blocksOf(sch.program).find((b) => b.name === product.name);
  const v = block && loopOfAxis(block, axis);
  const found = sch.getLoops(product).find((l) => l.variable === v);
  if (!found) throw new Error(`'${product.name}' has no loop for axis ${axis}`);
  return found;
}
