import { first } from "../../ir/arith.ts";
import { liftPred } from "../numbers/lift.ts";
import { scalar } from "../trace/scalar.ts";
import { OwnObject } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { type Shuffled, type ShuffledValue, shuffled } from "./shuffled.ts";

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

  /**
   * The value that the lane of that number has, a scalar of any type. All 32 lanes call it, each with a lane of its own. A static lane
   * is from 0 to 31; of one that the GPU computes the lowest five bits count. PTX `shfl.sync.idx.b32` (9.7.9.6); CUDA
   * `__shfl_sync(0xffffffff, value, lane)`. W2048, W6508.
   */
  shuffle<T extends ShuffledValue>(value: T, lane: number): Shuffled<T> {
    return shuffled("shuffle", "idx", value, lane);
  }

  /**
   * The value of the lane whose number is this lane's, exclusive or `mask`: a butterfly. Values, types and range as for `shuffle`. PTX
   * `shfl.sync.bfly.b32` (9.7.9.6); CUDA `__shfl_xor_sync`. W2048, W6508.
   */
  shuffleXor<T extends ShuffledValue>(value: T, mask: number): Shuffled<T> {
    return shuffled("shuffleXor", "bfly", value, mask);
  }

  /**
   * The value of the lane `by` lanes before this one. The first `by` lanes, which have none there, keep their own. Values, types and
   * range as for `shuffle`. PTX `shfl.sync.up.b32` (9.7.9.6); CUDA `__shfl_up_sync`. W2048, W6508.
   */
  shuffleUp<T extends ShuffledValue>(value: T, by: number): Shuffled<T> {
    return shuffled("shuffleUp", "up", value, by);
  }

  /**
   * The value of the lane `by` lanes after this one. The last `by` lanes, which have none there, keep their own. Values, types and
   * range as for `shuffle`. PTX `shfl.sync.down.b32` (9.7.9.6); CUDA `__shfl_down_sync`. W2048, W6508.
   */
  shuffleDown<T extends ShuffledValue>(value: T, by: number): Shuffled<T> {
    return shuffled("shuffleDown", "down", value, by);
  }
}

/** The warp that the thread is in: the 32 threads that run in step. */
export const warp: Pick<Warp, "index" | "lane" | "ballot" | "shuffle" | "shuffleXor" | "shuffleUp" | "shuffleDown"> = new Warp();
