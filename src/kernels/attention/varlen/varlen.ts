import type { DeviceTensor } from "warpsmith";
import { optionsOf, refuseMore } from "../../../base/diag/index.ts";
import type { ReadyKernel } from "../../common/launches.ts";
import { describeCall, launch } from "../../common/ready.ts";
import { type AttentionScoreData, type AttentionScoring, attentionNames } from "../attention.ts";
import { type AttentionFunction, callOf } from "../call.ts";
import { checkChoices, checkData } from "../check.ts";
import { sameScores } from "../options.ts";
import type { FlashArgs, FlashKernel, Ready } from "../prepare.ts";
import type { HalfType } from "../problem.ts";
import { checkRows, type Rows as HalfRows } from "./check.ts";
import { prepareVarlen, type VarlenOptions } from "./prepare.ts";

type Rows<D extends HalfType> = DeviceTensor<D, 3>;

/**
 * Where sequences begin, where the results go, and what `AttentionScoring` has: queries and keys are counted within their sequence, whose number is the batch, and a mask was made with the same
 * `cuSeqlens`. W2601, W764x, W7662, W7663, W7667, W7668, W769x.
 */
export interface AttentionVarlenOptions<D extends HalfType = HalfType, T extends AttentionScoreData = AttentionScoreData>
  extends AttentionScoring<T> {
  /**
   * The first row of each sequence of queries, and the end of the last one: [sequences + 1], the sums of the lengths before, read by the kernel. What is below 0 or above the number of rows is taken for that; where they go down the emulator stops with an error. Rows that no
   * sequence has stay as they are in the result.
   */
  readonly cuSeqlens: DeviceTensor<"i32", 1>;
  /** The same of keys and values. Default: they are as long as the queries. */
  readonly cuSeqlensKeys?: DeviceTensor<"i32", 1>;
  /** Where the result goes: [queries of all, heads, d of the values], the elements of a row neighbours in memory. Default: new memory. */
  readonly out?: Rows<D>;
  /** Where the logarithm of the sum of e^score goes, for each query: [heads, queries of all]. -Infinity where a query sees no key. Default: nowhere. */
  readonly logSumExp?: DeviceTensor<"f32", 2>;
}

const names = { cuSeqlens: true, cuSeqlensKeys: true, ...attentionNames } as const;
const varlenOptions = optionsOf<AttentionVarlenOptions>("attentionVarlen()", names);
const varlenKernelOptions = optionsOf<AttentionVarlenOptions>("attentionVarlenKernel()", names);

const packed: AttentionFunction<HalfRows, HalfRows, VarlenOptions, Ready<HalfRows>> = {
  same: (before, options) =>
    sameScores(before, options) && before.cuSeqlens === options.cuSeqlens && before.cuSeqlensKeys === options.cuSeqlensKeys,
  checkChoices,
  check(q, { k, v, ...options }) {
    checkRows(q, k, v);
    checkData(options, q.device);
  },
  prepare: prepareVarlen,
};

/**
 * `attention` of sequences of any lengths that lie one behind the other, in one kernel: f16 or bf16, products and sums in f32. `q` is [queries of all, heads, d], `k` [keys of all, kvHeads, d] and `v` [keys of all,
 * kvHeads, dv], kvHeads dividing heads; `cuSeqlens` says where sequences begin, as flash-attention has it. d = dv is 64, 96, 128 or 256, or d is 192 and dv 128. Each may be a view whose elements of a row are neighbours,
 * and whose rows and heads begin at multiples of 16 bytes. Lengths are data of the launch, and may be 0: other ones, other sums of them and other numbers of sequences are no new kernel. What lies in front of a sequence and
 * behind it is neither seen nor written. A query that sees no key gives 0. W7012, W76xx.
 */
export function attentionVarlen<D extends HalfType, T extends AttentionScoreData = Record<never, never>>(
  q: Rows<D>,
  k: Rows<NoInfer<D>>,
  v: Rows<NoInfer<D>>,
  options: AttentionVarlenOptions<NoInfer<D>, T>,
): Rows<D> {
  refuseMore(attentionVarlen, arguments);
  return launch(callOf(packed, [q, k, v], options, varlenOptions), options, options?.out).out as Rows<D>;
}

/** What `attentionVarlen` would launch, and where the result would go. */
export interface AttentionVarlenKernel<D extends HalfType> extends ReadyKernel {
  /** The kernel: `compile`, `bench` or `launch` it with `args`. */
  readonly kernel: FlashKernel;
  /** Its arguments: tensor maps, tensors, and how many there are of what. */
  readonly args: FlashArgs;
  /** Blocks of the launch. */
  readonly grid: number;
  /** Where the result goes: `options.out`, or new memory that is the caller's to dispose of. */
  readonly out: Rows<D>;
}

/** The kernel and the arguments that `attentionVarlen` would launch, to compile, look at or measure it. W7012, W76xx. */
export function attentionVarlenKernel<D extends HalfType, T extends AttentionScoreData = Record<never, never>>(
  q: Rows<D>,
  k: Rows<NoInfer<D>>,
  v: Rows<NoInfer<D>>,
  options: AttentionVarlenOptions<NoInfer<D>, T>,
): AttentionVarlenKernel<D> {
  refuseMore(attentionVarlenKernel, arguments);
  return describeCall(callOf(packed, [q, k, v], options, varlenKernelOptions)) as AttentionVarlenKernel<D>;
}
