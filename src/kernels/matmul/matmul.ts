import type { DeviceTensor, Stream } from "warpsmith";
import { checkOptions, display, fail, optionsOf } from "../../diag/index.ts";
import type { FurtherLaunch } from "../common/launches.ts";
import type { Operand } from "./align.ts";
import type { GemmArgs, GemmKernel } from "./asked.ts";
import type { MatmulOutputs } from "./outputs.ts";
import type { Plan } from "./plan.ts";
import type { HalfType, ResultType } from "./problem.ts";
import { checkChoices, look, type Options, run } from "./ready.ts";

/** One, or, of rank 3, a batch of them. */
type Matrices<D extends ResultType, N extends 2 | 3 = 2> = DeviceTensor<D, N>;
type OneOrMore<D extends ResultType> = Matrices<D, 2> | Matrices<D, 3>;

/** Tensors that an epilogue reads, by the names it calls them. */
export type MatmulInputs = Readonly<Record<string, DeviceTensor<HalfType | "f32">>>;

/** What an epilogue gives of an element: a number, or, where there are outputs, that number as `value` and one for each of them. */
export type EpilogueResult<O extends MatmulOutputs> = [keyof O] extends [never]
  ? number
  : { readonly value: number } & { readonly [K in keyof O]: number };

/** `row` and `col` are those of the element in the product. */
export type MatmulEpilogue<I extends MatmulInputs, O extends MatmulOutputs = Readonly<Record<never, never>>> = (
  value: number,
  inputs: { readonly [K in keyof I]: number },
  row: number,
  col: number,
) => EpilogueResult<O>;

/** Where the product goes, what becomes of it on the way, and how it runs. `D`: the type of the result, `N`: its rank. W2601, W7606–W7615, W7627, W7672–W7674, W7695–W7699. */
export interface MatmulOptions<
  D extends ResultType = ResultType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  N extends 2 | 3 = 2 | 3,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
> {
  /** Where the product goes: [M, N], or [batch, M, N], the elements of a row neighbours in memory, sharing none with `a` or `b`. Default: new memory. */
  readonly out?: Matrices<D, N>;
  /** What the product is rounded to: f16, bf16 or f32. Default: the type of `out`, else that of the operands. */
  readonly dtype?: D;
  /** The sum of products is multiplied with it, in f32. Another number needs no other kernel. Default 1. */
  readonly alpha?: number;
  /**
   * What `out` holds is multiplied with it and added, in f32, before an epilogue sees the sum: alpha a @ b + beta out. Where it is 0, `out` is
   * not read. Other numbers need no other kernel. Default 0.
   */
  readonly beta?: number;
  /**
   * What becomes of each element, in the same kernel, before it is rounded to the type of the result: a `helper(…)` or another function
   * that the transform has seen. `value` is the sum, in f32. A new function is a new kernel: make it once.
   */
  readonly epilogue?: MatmulEpilogue<I, NoInfer<O>>;
  /**
   * What the epilogue reads, of f16, bf16 or f32: [M, N], the number of its element; [N] or [1, N], of its column; [M, 1], of its row.
   * One of [M, N] may be `out` itself. Beside a batch: [batch, M, N], [N], [1, N] or [batch, M, 1].
   */
  readonly inputs?: I;
  /**
   * What else the epilogue gives of each element, by name, and what becomes of it over a row: the sum, { sum: tensor }, or the greatest, { max: tensor }, of f32, [M] or [M, 1], beside a batch
   * [batch, M] or [batch, M, 1]. The epilogue then returns `value`, the element of the result, and these numbers by name; none of them is rounded before. A second, small launch
   * puts together what tiles have of rows, always in the same order. Default: none.
   */
  readonly outputs?: O;
  /** Where it runs. Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** How to cut it up, instead of what measurement chose. */
  readonly plan?: Plan;
  /**
   * The kernel reads M at run time, and serves every M that its plan is chosen for: another M is seldom a new kernel, and with a `plan` never. For
   * serving, where M is the number of tokens of the moment. Default false: a kernel for each M.
   */
  readonly dynamicM?: boolean;
  /** The bits of a row do not depend on M: the sums over K are in one order for all plans that are taken, none of which splits K. Default false. */
  readonly invariant?: boolean;
  /** Let it start before the previous kernel of its stream ends, and the next one that asks for it before this one does. */
  readonly overlapPrevious?: boolean;
}

const matmulNames = {
  out: true,
  dtype: true,
  alpha: true,
  beta: true,
  epilogue: true,
  inputs: true,
  outputs: true,
  stream: true,
  plan: true,
  dynamicM: true,
  invariant: true,
  overlapPrevious: true,
} as const;
const matmulOptions = optionsOf<MatmulOptions>("matmul()", matmulNames);
const matmulKernelOptions = optionsOf<MatmulOptions>("matmulKernel()", matmulNames);

/** W2601, W2602, W7046, W7627. */
function checkGiven(options: Options, known: typeof matmulOptions): void {
  checkOptions(options as unknown as MatmulOptions, known);
  checkChoices(options, known.of);
  const { alpha, beta, out } = options;
  if (alpha !== undefined) checkNumber(alpha, "alpha", known.of);
  if (beta !== undefined) checkNumber(beta, "beta", known.of);
  if (beta !== undefined && beta !== 0 && out === undefined) fail("W7627", { beta });
}

function checkNumber(given: unknown, option: string, of: string): void {
  if (typeof given !== "number") fail("W7046", { of, option, given: display(given), expected: "a number" });
}

/**
 * a @ b for matrices of f16 or bf16 in one kernel, summed in f32, rounded once to their type, or to that of `out` or `dtype`. `a` is [M, K] and `b` [K, N] by shape;
 * either may be a transposed view, and a slice of wider memory. An operand whose lines of neighbours begin at no multiples of 16 bytes is copied
 * before, by a launch of its own. A call with tensors and options that were given before costs little more than the launch.
 *
 * A batch is one launch: `a` [batch, M, K] and `b` [batch, K, N] give [batch, M, N]. An operand of one matrix, [1, K, N] or, of `b`, [K, N], goes with all of the
 * other one. PyTorch `torch.bmm`, cuBLAS `cublasGemmStridedBatchedEx`. W7012, W76xx.
 */
export function matmul<
  D extends HalfType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  R extends ResultType = D,
  N extends 2 | 3 = 2,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
>(a: Matrices<D, N>, b: OneOrMore<NoInfer<D>>, options: MatmulOptions<R, I, NoInfer<N>, O> = {}): Matrices<R, N> {
  checkGiven(options as Options, matmulOptions);
  return run(a as Operand, b as Operand, options as Options) as Matrices<R, N>;
}

/** What `matmul` would launch, and where the product would go. */
export interface MatmulKernel<D extends ResultType, N extends 2 | 3 = 2> {
  /** The kernel: `compile`, `bench` or `launch` it with `args`. */
  readonly kernel: GemmKernel;
  /** Its arguments: tensor maps of `a`, `b` and the result, what the epilogue reads, and alpha and beta where one is given. */
  readonly args: GemmArgs;
  /** Where the product goes: `options.out`, or new memory that is the caller's to dispose of. */
  readonly out: Matrices<D, N>;
  /** Launches that have to come before, in the same stream: one that copies operands whose lines begin at no multiples of 16 bytes, or none. */
  readonly before: readonly FurtherLaunch[];
  /** Launches that have to come after, in the same stream, and may overlap the kernel: where there are outputs one that puts together what tiles have of rows, or none. */
  readonly after: readonly FurtherLaunch[];
  /** The kernel serves these shapes alone: all but those with `dynamicM` for more than 64 rows, or with a plan. */
  readonly settled: boolean;
}

/** The kernel and the arguments that `matmul` would launch, to compile, look at or measure it: `kernel.compile(...args).ptx`. W7012, W76xx. */
export function matmulKernel<
  D extends HalfType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  R extends ResultType = D,
  N extends 2 | 3 = 2,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
>(a: Matrices<D, N>, b: OneOrMore<NoInfer<D>>, options: MatmulOptions<R, I, NoInfer<N>, O> = {}): MatmulKernel<R, N> {
  checkGiven(options as Options, matmulKernelOptions);
  return look(a as Operand, b as Operand, options as Options) as unknown as MatmulKernel<R, N>;
}
