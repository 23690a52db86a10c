/** The table of effects: what orders threads and asynchronous copies, and computes nothing. A run in order may skip them. */

import type { Trace } from "../../../dsl/emit.ts";
import { asyncCopy, binary, branch, fence, noVariables, spansHere, syncThreads, syncWarp, truth } from "../../../dsl/emit.ts";
import { fail } from "../../errors/index.ts";

/** One row of the table. */
export interface EffectRow {
  /** Arguments that it takes. */
  readonly arguments: number;
  /** Who is in step afterwards, and sees what the others have written: of the block, of the warp. */
  readonly meets?: "block" | "warp";
  /** Asynchronous copies of the thread are complete afterwards, all or some of them. */
  readonly completes?: true;
  /** Lowering puts it in between the roles of a specialized program; nobody writes it. */
  readonly ofStages?: true;
  readonly emit: (trace: Trace, args: readonly unknown[]) => void;
}

/** Groups of copies that a wait may leave unfinished where only the GPU knows how many. */
const mostPending = 4;

/** `asyncCopy.wait(pending)`; a number of the GPU chooses among waits, and never waits for less than it says. */
function wait(trace: Trace, pending: unknown, least = 0): void {
  const more = typeof pending !== "number" && least < mostPending ? truth(binary(">", pending, least)) : false;
  if (typeof pending === "number") asyncCopy.wait(Math.max(0, pending));
  else if (more === false) asyncCopy.wait(least);
  else if (more === true) wait(trace, pending, least + 1);
  else {
    const yes = (): undefined => void wait(trace, pending, least + 1);
    const no = (): undefined => void asyncCopy.wait(least);
    branch(trace, more, yes, no, noVariables);
  }
}

/** What lowering puts in between the roles of a specialized program has no place elsewhere. */
const outside = (): never => fail("W5578", {}, spansHere());

export const effects: Readonly<Record<string, EffectRow>> = {
  /** All threads of the block meet here. */
  syncThreads: { arguments: 0, meets: "block", emit: () => syncThreads() },
  /** The threads of a warp meet here. */
  syncWarp: { arguments: 0, meets: "warp", emit: () => syncWarp() },
  /** Closes the thread's group of asynchronous copies. */
  asyncCommit: { arguments: 0, emit: () => asyncCopy.commit() },
  /** Waits until at most so many groups of the thread are unfinished. */
  asyncWait: { arguments: 1, completes: true, emit: (trace, [pending]) => wait(trace, pending) },
  /** Of the pipeline between the thread that copies and those that compute: it waits until a stage is empty, and expects so many bytes of copies there. */
  acquireStage: { arguments: 2, ofStages: true, emit: outside },
  /** Computing threads wait until the copies of their next stage are complete. */
  awaitStage: { arguments: 1, ofStages: true, emit: outside },
  /** The stage of computing threads whose copies they have waited for before. */
  currentStage: { arguments: 1, ofStages: true, emit: outside },
  /** Where a loop of stages begins, none is kept of the iteration before. */
  beginStages: { arguments: 0, ofStages: true, emit: outside },
  /** Waits until at most so many groups of products of the warpgroup run. */
  awaitProducts: { arguments: 1, ofStages: true, emit: outside },
  /** Hands a stage back: it may be filled again. */
  releaseStage: { arguments: 0, ofStages: true, emit: outside },
  /** Hands back the stage of the iteration before; iteration 0 has none. */
  releaseStageBefore: { arguments: 1, ofStages: true, emit: outside },
  /** Goes on to the next stage. */
  nextStage: { arguments: 0, ofStages: true, emit: outside },
  /** Goes on behind so many stages, which another warpgroup computes with. */
  skipStages: { arguments: 1, ofStages: true, emit: outside },
  /** Of warpgroups that take turns: waits until it is this one's. */
  awaitTurn: { arguments: 0, ofStages: true, emit: outside },
  /** It is the next one's. */
  passTurn: { arguments: 0, ofStages: true, emit: outside },
  /** What threads wrote to shared memory is seen by TMA and wgmma. */
  fenceProxyAsync: { arguments: 0, emit: () => fence.proxyAsync({ space: "shared::cta" }) },
};

/** The effects that a program may be written with. */
export const writtenEffects = (): readonly string[] => Object.keys(effects).filter((op) => !effects[op]?.ofStages);
