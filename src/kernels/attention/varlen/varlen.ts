import type { DeviceTensor, Stream } from "warpsmith";
import { checkOptions, optionsOf } from "../../../diag/index.ts";
import { explain } from "../../common/explain.ts";
import { KnownLaunches } from "../../common/known-launches.ts";
import { areSame, noTensors } from "../../common/tensors.ts";
import type { AttentionScore, AttentionScoreData } from "../attention.ts";
import { checkChoices, checkData } from "../check.ts";
import type { Plan } from "../plan.ts";
import type { FlashArgs, FlashKernel } from "../prepare.ts";
import type { HalfType } from "../problem.ts";
import { checkRows, type Rows as HalfRows } from "./check.ts";
import { prepareVarlen, type VarlenAsked, type VarlenOptions, type VarlenReady } from "./prepare.ts";

type Rows<D extends HalfType> = DeviceTensor<D, 3>;

/** Where sequences begin, where the result goes, which keys a query sees, and how it runs. W2601, W764x, W7662, W7663. */
export interface AttentionVarlenOptions<D extends HalfType = HalfType, T extends AttentionScoreData = AttentionScoreData> {
  /**
   * The first row of each sequence of queries, and the end of the last one: [sequences + 1], the sums of the lengths before, read by the kernel. What is below 0 or above the number of rows is taken for that. Rows that no
   * sequence has stay as they are in the result.
   */
  readonly cuSeqlens: DeviceTensor<"i32", 1>;
  /** The same of keys and values. Default: they are as long as the queries. */
  readonly cuSeqlensKeys?: DeviceTensor<"i32", 1>;
  /** Where the result goes: [queries of all, heads, d of the values], the elements of a row neighbours in memory. Default: new memory. */
  readonly out?: Rows<D>;
  /** Whether a query sees no key behind its own. The last query's own is the last key of its sequence. Default false. */
  readonly causal?: boolean;
  /** How many keys a query sees in each direction, its own among them: key j where |j - own| < window. Default: all of its sequence. */
  readonly window?: number;
  /** By what a product is multiplied before the softmax, more than 0. Default: 1 / √d. */
  readonly scale?: number;
  /** What becomes of each score: as of `attention`. Query and key are places in the sequence, and `batch` is its number. */
  readonly score?: AttentionScore<NoInfer<T>>;
  /** Tensors that `score` looks at: as of `attention`. */
  readonly data?: T;
  /** Where the logarithm of the sum of e^score goes, for each query: [heads, queries of all]. -Infinity where a query sees no key. Default: nowhere. */
  readonly logSumExp?: DeviceTensor<"f32", 2>;
  /** Where it runs. Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** How to cut it up, instead of what measurement chose for `attention`. */
  readonly plan?: Plan;
  /** Let it start before the previous kernel of its stream ends, and the next one that asks for it before this one does. */
  readonly overlapPrevious?: boolean;
}

const names = {
  cuSeqlens: true,
  cuSeqlensKeys: true,
  out: true,
  causal: true,
  window: true,
  scale: true,
  score: true,
  data: true,
  logSumExp: true,
  stream: true,
  plan: true,
  overlapPrevious: true,
} as const;
const varlenOptions = optionsOf<AttentionVarlenOptions>("attentionVarlen()", names);
const varlenKernelOptions = optionsOf<AttentionVarlenOptions>("attentionVarlenKernel()", names);

/** Launches made before into memory of the author's, by `q`. */
const known = new KnownLaunches<VarlenAsked, VarlenReady>(8);

/** Whether a launch was made for the same. Nothing is allocated here: it runs at every call. */
const isAsked = (before: VarlenAsked, k: unknown, v: unknown, options: VarlenOptions): boolean =>
  before.k === k &&
  before.v === v &&
  before.cuSeqlens === options.cuSeqlens &&
  before.cuSeqlensKeys === options.cuSeqlensKeys &&
  before.out === options.out &&
  before.causal === options.causal &&
  before.window === options.window &&
  before.scale === options.scale &&
  before.score === options.score &&
  areSame(before.data ?? noTensors, options.data ?? noTensors) &&
  before.logSumExp === options.logSumExp &&
  before.plan === options.plan &&
  before.overlapPrevious === options.overlapPrevious;

function readyFor<D extends HalfType>(
  rows: readonly [q: Rows<D>, k: Rows<D>, v: Rows<D>],
  options: object,
  of: typeof varlenOptions,
): VarlenReady {
  checkOptions(options, of);
  const given = options as VarlenOptions;
  checkChoices(given, of.of);
  const [q, k, v] = rows as unknown as readonly [HalfRows, HalfRows, HalfRows];
  const found = given.out && known.recall(q, (before) => isAsked(before, k, v, given));
  if (found) return found;
  checkRows(q, k, v);
  checkData(given, q.device);
  // A copy of the tensors' names: theirs is an object that the author may change.
  const data = given.data && Object.freeze({ ...given.data });
  const asked: VarlenAsked = { ...given, k, v, ...(data ? { data } : {}) };
  const ready = prepareVarlen(q, asked);
  // Memory that is made here is new each time: nobody asks for it again.
  if (given.out) known.remember(q, asked, ready);
  return ready;
}

const inOrder = Object.freeze({});

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
  const { kernel, args, grid, out } = readyFor([q, k, v], options, varlenOptions);
  const { stream, overlapPrevious } = options;
  try {
    kernel.launch({ grid, ...(stream ? { stream } : inOrder), ...(overlapPrevious ? { overlapPrevious } : inOrder) }, ...args);
  } catch (error) {
    if (out !== (options.out as unknown)) out.dispose();
    throw explain(error, "attention/flash.ts", options.score, "score function");
  }
  return out as unknown as Rows<D>;
}

/** What `attentionVarlen` would launch, and where the result would go. */
export interface AttentionVarlenKernel<D extends HalfType> {
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
  const { kernel, args, grid, out } = readyFor([q, k, v], options, varlenKernelOptions);
  return { kernel, args, grid, out: out as unknown as Rows<D> };
}
