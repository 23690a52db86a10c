import type { DeviceTensor } from "warpsmith";
import { optionsOf, refuseMore } from "../../base/diag/index.ts";
import type { ReadyKernel } from "../common/launches.ts";
import { describeCall, launch, type RunOptions } from "../common/ready.ts";
import { type AttentionFunction, callOf } from "./call.ts";
import { checkChoices, checkData, checkOperands } from "./check.ts";
import type { AttentionMask, InKernel } from "./mask/mask.ts";
import { type Options, sameScores } from "./options.ts";
import type { Plan } from "./plan.ts";
import { type FlashArgs, type FlashKernel, prepare, type Ready } from "./prepare.ts";
import type { HalfType } from "./problem.ts";

type Heads<D extends HalfType> = DeviceTensor<D, 4>;

/** Tensors that a function of scores looks at, by name. */
export type AttentionScoreData = Readonly<Record<string, DeviceTensor>>;

/** What becomes of a score, the product of a query and a key times the scale, before the softmax. `head` is that of the query. `data`: the tensors of the option of that name. */
export type AttentionScore<T extends AttentionScoreData = AttentionScoreData> = (
  score: number,
  query: number,
  key: number,
  head: number,
  batch: number,
  data: InKernel<T>,
) => number;

/** Which keys a query of `attention` or `attentionVarlen` sees, how they are scored, and how it runs. W2601, W764x. */
export interface AttentionScoring<T extends AttentionScoreData = AttentionScoreData> extends RunOptions {
  /** Whether a query sees no key behind its own. The last query's own is the last key: query i's own is key i + keys - queries. Default false. */
  readonly causal?: boolean;
  /** How many keys a query sees in each direction, its own among them: key j where |j - own| < window. Blocks of keys that nobody sees are skipped. Default: all. */
  readonly window?: number;
  /** By what a product is multiplied before the softmax, more than 0. Default: 1 / √d. */
  readonly scale?: number;
  /**
   * What becomes of each score: a `helper(…)` or another function that the transform has seen. -Infinity hides a key. A new function is a new kernel: make it once.
   */
  readonly score?: AttentionScore<NoInfer<T>>;
  /** Tensors that `score` looks at, such as a slope for each head: other ones of as many dimensions are no new kernel. `score` is told of queries and keys that there are, also where they are hidden. Default: none. */
  readonly data?: T;
  /**
   * Which keys queries see, from `attentionMask`: blocks of keys that no query of a block sees are neither loaded nor computed. It says all that is hidden: `causal` and `window` do not go with it.
   */
  readonly mask?: AttentionMask;
  /** How to cut it up, instead of what measurement chose. */
  readonly plan?: Plan;
}

/** Where the results go, and what `AttentionScoring` has. W2601, W764x. */
export interface AttentionOptions<D extends HalfType = HalfType, T extends AttentionScoreData = AttentionScoreData>
  extends AttentionScoring<T> {
  /** Where the result goes: [batch, heads, queries, d of the values], the elements of a row neighbours in memory. Default: new memory. May be `q` itself. */
  readonly out?: Heads<D>;
  /** Where the logarithm of the sum of e^score goes, for each query: [batch, heads, queries]. -Infinity where a query sees no key. Default: nowhere. */
  readonly logSumExp?: DeviceTensor<"f32", 3>;
}

export const attentionNames = {
  out: true,
  causal: true,
  window: true,
  scale: true,
  score: true,
  data: true,
  mask: true,
  logSumExp: true,
  stream: true,
  plan: true,
  overlapPrevious: true,
} as const;
const attentionOptions = optionsOf<AttentionOptions>("attention()", attentionNames);
const attentionKernelOptions = optionsOf<AttentionOptions>("attentionKernel()", attentionNames);

type Operand = DeviceTensor<HalfType, 4>;

const heads: AttentionFunction<Operand, Operand, Options, Ready<Operand>> = {
  same: sameScores,
  checkChoices,
  check(q, { k, v, ...options }) {
    checkOperands(q, k, v);
    checkData(options, q.device);
  },
  prepare,
};

/**
 * softmax(q kᵀ · scale) v for each head, in one kernel: f16 or bf16, products and sums in f32. `q` is [batch, heads, queries, d], `k` [batch, kvHeads, keys, d] and `v` [batch, kvHeads,
 * keys, dv], kvHeads dividing heads: neighbouring heads of `q` share a head of `k` and `v`. d = dv is 64, 96, 128 or 256, or d is 192 and dv 128. Each may be a view whose elements of a row are
 * neighbours, and whose rows, heads and batches begin at multiples of 16 bytes: [batch, sequence, heads, d], transposed, is one. A query that sees no key gives 0. W7012, W76xx.
 *
 * @example
 * ```ts
 * import { attention } from "warpsmith/kernels";
 *
 * await using gpu = await openDevice();
 * const heads = () => gpu.zeros("f16", [1, 2, 128, 64]); // batch, heads, queries or keys, d
 * const o = attention(heads(), heads(), heads(), { causal: true });
 * console.log(o.shape); // [ 1, 2, 128, 64 ]
 * ```
 */
export function attention<D extends HalfType, T extends AttentionScoreData = Record<never, never>>(
  q: Heads<D>,
  k: Heads<NoInfer<D>>,
  v: Heads<NoInfer<D>>,
  options: AttentionOptions<NoInfer<D>, T> = {},
): Heads<D> {
  refuseMore(attention, arguments);
  return launch(callOf(heads, [q, k, v], options, attentionOptions), options, options?.out).out as Heads<D>;
}

/** What `attention` would launch, and where the result would go. */
export interface AttentionKernel<D extends HalfType> extends ReadyKernel {
  /** The kernel: `compile`, `bench` or `launch` it with `args`. */
  readonly kernel: FlashKernel;
  /** Its arguments: tensor maps, where the logarithms go, and the lengths. */
  readonly args: FlashArgs;
  /** Blocks of the launch. */
  readonly grid: number;
  /** Where the result goes: `options.out`, or new memory that is the caller's to dispose of. */
  readonly out: Heads<D>;
}

/** The kernel and the arguments that `attention` would launch, to compile, look at or measure it: `kernel.compile(...args).ptx`, `kernel.bench({ grid }, ...args)`. W7012, W76xx. */
export function attentionKernel<D extends HalfType, T extends AttentionScoreData = Record<never, never>>(
  q: Heads<D>,
  k: Heads<NoInfer<D>>,
  v: Heads<NoInfer<D>>,
  options: AttentionOptions<NoInfer<D>, T> = {},
): AttentionKernel<D> {
  refuseMore(attentionKernel, arguments);
  return describeCall(callOf(heads, [q, k, v], options, attentionKernelOptions)) as AttentionKernel<D>;
}
