import type { Instruction } from "../../ptx/parse/index.ts";
import type { Split, Warp } from "../machine/warp.ts";
import type { Segment } from "./codegen/index.ts";

/**
 * What comes of an operation. `next`: done, go on. `wait`: refused, nothing has happened; to be tried again. `arrived`: it has
 * done its part and waits for others. `polled`: a wait that was refused but goes on with that answer. `quiet`: done, and nobody
 * can have noticed.
 */
export type Outcome = "next" | "wait" | "arrived" | "polled" | "quiet";

/** Gives a mask of the lanes for which a predicate lets an instruction run. */
export type GuardMask = (warp: Warp, mask: number) => number;

/** Runs an instruction for the lanes of a mask, none of which its guard excludes. */
export interface Operation {
  (warp: Warp, mask: number, split: Split, step: OperationStep): Outcome;
  /** What lanes that are stuck there lack, in words; they may have been refused, or wait for others to come, too. */
  readonly lacks?: (warp: Warp, mask: number, split: Split) => string;
}

/** An operation that lanes may wait at. */
export const waiting = (run: Operation, lacks: NonNullable<Operation["lacks"]>): Operation => Object.assign(run, { lacks });

interface StepBase {
  /** The first instruction. */
  readonly instruction: Instruction;
}
export interface SegmentStep extends StepBase {
  readonly kind: "segment";
  readonly instructions: readonly Instruction[];
  run: Segment;
  /** Whether others can notice that it ran; where only its atomics can be noticed, these say so themselves. */
  readonly effect: boolean;
  /** Does the same; its stores, too, say for themselves whether they change anything. Slower. */
  readonly careful: Segment;
  /** Leaves more behind than registers show, of which others notice nothing: it writes local memory, or looks at a clock. */
  readonly hidden: boolean;
}
export interface BranchStep extends StepBase {
  readonly kind: "branch";
  readonly guard: GuardMask | undefined;
  target: number;
}
export interface ExitStep extends StepBase {
  readonly kind: "exit";
  readonly guard: GuardMask | undefined;
}
export interface OperationStep extends StepBase {
  readonly kind: "operation";
  readonly guard: GuardMask | undefined;
  readonly run: Operation;
  /** All lanes of the warp that have not exited must be there. */
  readonly converged: boolean;
}
/** Control goes elsewhere, perhaps not to one place: calls, returns, branches with tables. */
export interface JumpStep extends StepBase {
  readonly kind: "jump";
  readonly guard: GuardMask | undefined;
  /** Moves all lanes of the split; may make others of them. Gives whether others can notice. */
  readonly run: (warp: Warp, split: Split) => boolean;
}
export type Step = SegmentStep | BranchStep | ExitStep | OperationStep | JumpStep;
