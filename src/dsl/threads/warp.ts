import { first } from "../../ir/arith.ts";
import { liftPred } from "../numbers/lift.ts";
import { scalar } from "../trace/scalar.ts";
import { OwnObject } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";

/** The 32 threads that run in step. */
class Warp extends OwnObject {
  /** The warp's number in its block, from 0 on; the same in all its lanes, and the compiler knows it. CUDA `threadIdx.x / 32`. */
  get index(): number {
    return scalar(currentTrace("warp.index").once("warp.index", {}, {}));
  }

  /** The thread's number in its warp, from 0 to 31. PTX `%laneid` (10.4). */
  get lane(): number {
    return scalar(currentTrace("warp.lane").once("sreg", {}, { reg: "laneid" }));
  }

  /**
   * A u32 with one bit for each lane, set where the condition is true there. All 32 lanes call it. PTX
   * `vote.sync.ballot.b32` (9.7.13.9); CUDA `__ballot_sync(0xffffffff, condition)`.
   */
  ballot(condition: boolean): number {
    const trace = currentTrace("warp.ballot");
    return scalar(first(trace.emit("vote.ballot", { condition: liftPred(condition, "the condition of `warp.ballot`") }, {})));
  }
}

/** The warp that the thread is in: the 32 threads that run in step. */
export const warp: Pick<Warp, "index" | "lane" | "ballot"> = new Warp();
