import { first } from "../../ir/arith.ts";
import { liftPred } from "../numbers/lift.ts";
import { scalar } from "../trace/scalar.ts";
import { ownMethods } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { Collective, type CollectiveMethod } from "./collective.ts";
import { comparedWord } from "./compared-word.ts";
import { type Shuffled, type ShuffledValue, shuffled } from "./shuffled.ts";

function vote(mode: "any" | "all", condition: boolean): boolean {
  const trace = currentTrace(`warp.${mode}`);
  const given = liftPred(condition, `the condition of \`warp.${mode}\``);
  return scalar(first(trace.emit("vote", { condition: given }, { mode })));
}

/** The 32 threads that run in step. */
class Warp extends Collective {
  constructor() {
    super("warp");
  }

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

  /** Is the condition true in one lane or more? All 32 lanes call it. PTX `vote.sync.any` (9.7.13.9); CUDA `__any_sync`. W2048. */
  any(condition: boolean): boolean {
    return vote("any", condition);
  }

  /** Is the condition true in every lane? All 32 lanes call it. PTX `vote.sync.all` (9.7.13.9); CUDA `__all_sync`. W2048. */
  all(condition: boolean): boolean {
    return vote("all", condition);
  }

  /**
   * A u32 with one bit for each lane whose value has the same bits as this lane's: -0 is not 0, and a NaN is itself. A scalar of any type.
   * All 32 lanes call it. PTX `match.any.sync` (9.7.13.10); CUDA `__match_any_sync`. W2010, W2048.
   */
  match(value: ShuffledValue): number {
    const trace = currentTrace("warp.match");
    return scalar(first(trace.emit("match.any", { value: comparedWord(value, "warp.match") }, {})));
  }

  /** Do all lanes have a value of the same bits? As `match`. PTX `match.all.sync` (9.7.13.10); CUDA `__match_all_sync`. W2010, W2048. */
  matchAll(value: ShuffledValue): boolean {
    const trace = currentTrace("warp.matchAll");
    return scalar(first(trace.emit("match.all", { value: comparedWord(value, "warp.matchAll") }, {})));
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
ownMethods(Warp);

/**
 * The warp that the thread is in: the 32 threads that run in step.
 *
 * @example
 * ```ts
 * const rows = kernel({ block: 128, grid: 1 }, (x: Tensor<"f32", 2>, y: Tensor<"f32", 1>) => {
 *   const sum = warp.sum(x.at(warp.index, warp.lane).load()); // of 32 lanes; all of them have it
 *   if (warp.lane === 0) y[warp.index] = sum;
 * });
 *
 * await using gpu = await openDevice();
 * const y = gpu.zeros("f32", [4]);
 * rows.launch({}, gpu.tensor("f32", [4, 32], new Float32Array(128).fill(1)), y);
 * console.log(await y.read()); // Float32Array(4) [ 32, 32, 32, 32 ]
 * ```
 */
export const warp: Pick<
  Warp,
  | "index"
  | "lane"
  | "any"
  | "all"
  | "ballot"
  | "match"
  | "matchAll"
  | "shuffle"
  | "shuffleXor"
  | "shuffleUp"
  | "shuffleDown"
  | CollectiveMethod
> = new Warp();
