import type { DeviceTensor } from "warpsmith";
import { optionsOf, refuseMore } from "../../../base/diag/index.ts";
import type { ReadyKernel } from "../../common/launches.ts";
import { describeCall, launch, type RunOptions } from "../../common/ready.ts";
import { type AttentionFunction, callOf } from "../call.ts";
import { checkChoices } from "../check.ts";
import type { HalfType } from "../problem.ts";
import { checkDecode } from "./check.ts";
import type { DecodePlan } from "./plan.ts";
import {
  type DecodeArgs,
  type DecodeAsked,
  type DecodeKernel,
  type Queries as DecodeQueries,
  type DecodeReady,
  prepareDecode,
} from "./prepare.ts";

type Queries<D extends HalfType, R extends Rank> = DeviceTensor<D, R>;
/** Of queries: [batch, heads, d], or [batch, queries, heads, d] where each head has several. */
type Rank = 3 | 4;
type Cache<D extends HalfType> = DeviceTensor<D, 4>;

/** How many keys there are, where they lie, where the result goes, and how it runs. W2601, W764x, W765x. */
export interface AttentionDecodeOptions<D extends HalfType = HalfType, R extends 3 | 4 = 3 | 4> extends RunOptions {
  /** Keys of each batch, [batch], read by the kernel: 0 to as many as there is room for. A GPU takes what is beyond for that; the emulator stops with an error. Default: all that there is room for. */
  readonly lengths?: DeviceTensor<"i32", 1>;
  /**
   * The pages of each batch, [batch, pages of one], read by the kernel: key i of a batch is row i % pageSize of its page number i / pageSize. `k` and `v` are [pages, kvHeads, pageSize, d]
   * then. Numbers behind a batch's length are not looked at; of another that is no page the emulator stops with an error. Default: `k` and `v` are not paged.
   */
  readonly pages?: DeviceTensor<"i32", 2>;
  /** By what a product is multiplied before the softmax, more than 0. Default: 1 / √d. */
  readonly scale?: number;
  /** How many keys a query sees, its own among them. Blocks of keys that none of a batch's queries sees are not read. Default: all up to its own. */
  readonly window?: number;
  /** Where the result goes: as `q`, with rows of dv, the elements of a row neighbours in memory. Default: new memory. */
  readonly out?: Queries<D, R>;
  /** Where the logarithm of the sum of e^score goes, for each query: [batch, heads], or [batch, queries, heads]. -Infinity where a query sees no keys. Default: nowhere. */
  readonly logSumExp?: DeviceTensor<"f32", R extends 3 ? 2 : 3>;
  /** How to cut it up, instead of what measurement chose. */
  readonly plan?: DecodePlan;
}

const names = {
  lengths: true,
  pages: true,
  scale: true,
  window: true,
  out: true,
  logSumExp: true,
  stream: true,
  plan: true,
  overlapPrevious: true,
} as const;
const decodeOptions = optionsOf<AttentionDecodeOptions>("attentionDecode()", names);
const decodeKernelOptions = optionsOf<AttentionDecodeOptions>("attentionDecodeKernel()", names);

type Asked = Omit<DecodeAsked, "k" | "v">;

const decoding: AttentionFunction<DecodeQueries, Cache<HalfType>, Asked, DecodeReady> = {
  same: (before, options) =>
    before.out === options.out &&
    before.lengths === options.lengths &&
    before.pages === options.pages &&
    before.scale === options.scale &&
    before.window === options.window &&
    before.logSumExp === options.logSumExp &&
    before.stream === options.stream &&
    before.plan === options.plan &&
    before.overlapPrevious === options.overlapPrevious,
  checkChoices,
  check: checkDecode,
  prepare: prepareDecode,
};

/**
 * softmax(q kᵀ · scale) v for one query of each head, or a few, over keys and values of a cache, in one kernel: f16 or bf16, products and sums in f32. `q` is [batch, heads, d], or
 * [batch, queries, heads, d], whose last query stands at the batch's last key, the one before it at the key before, and none of which sees keys behind its own. `k` is
 * [batch, kvHeads, keys, d] and `v` [batch, kvHeads, keys, dv], or [pages, kvHeads, pageSize, …] with `pages`; kvHeads divides heads, at most 64 of which, neighbours, share a head of `k` and
 * `v`; where there are several queries these times the queries, both up to a power of 2, are at most 64, with values of 256 at most 32. d = dv is 64, 96, 128 or 256, or d is 192 and dv 128. `k` and `v` may be views whose elements of a row are
 * neighbours, and whose rows begin at multiples of 16 bytes: [batch, keys, kvHeads, d], transposed, is one. Lengths and pages are data of the launch: new ones are no new kernel, nor is a cache
 * for more keys, batches or pages. A query that sees no keys gives 0. W7012, W76xx.
 */
export function attentionDecode<D extends HalfType, R extends 3 | 4>(
  q: DeviceTensor<D, R>,
  k: Cache<NoInfer<D>>,
  v: Cache<NoInfer<D>>,
  options: AttentionDecodeOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(attentionDecode, arguments);
  return launch(callOf(decoding, [q, k, v], options, decodeOptions), options, options?.out).out as Queries<D, R>;
}

/** What `attentionDecode` would launch, and where the result would go. */
export interface AttentionDecodeKernel<D extends HalfType, R extends 3 | 4 = 3> extends ReadyKernel {
  /** The kernel: `compile`, `bench` or `launch` it with `args`. */
  readonly kernel: DecodeKernel;
  /** Its arguments: tensors, tensor maps, and the room where blocks leave their parts. */
  readonly args: DecodeArgs;
  /** Blocks of the launch. */
  readonly grid: number;
  /** Where the result goes: `options.out`, or new memory that is the caller's to dispose of. */
  readonly out: DeviceTensor<D, R>;
}

/** The kernel and the arguments that `attentionDecode` would launch, to compile, look at or measure it. W7012, W76xx. */
export function attentionDecodeKernel<D extends HalfType, R extends 3 | 4>(
  q: DeviceTensor<D, R>,
  k: Cache<NoInfer<D>>,
  v: Cache<NoInfer<D>>,
  options: AttentionDecodeOptions<NoInfer<D>, NoInfer<R>> = {},
): AttentionDecodeKernel<D, R> {
  refuseMore(attentionDecodeKernel, arguments);
  return describeCall(callOf(decoding, [q, k, v], options, decodeKernelOptions)) as AttentionDecodeKernel<D, R>;
}
