import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import type { FurtherLaunch } from "../common/launches.ts";
import { fail } from "../errors.ts";
import type { Operand } from "./launch/align.ts";
import type { GemmArgs, GemmKernel } from "./launch/asked.ts";
import { checkChoices, look, type Options, run } from "./launch/ready.ts";
import type { MatmulOutputs } from "./options/outputs.ts";
import {
  type EpilogueResult,
  type MatmulInputs,
  type Matrices,
  type OneOrMore,
  type ProductOptions,
  productNames,
} from "./options/product-options.ts";
import type { HalfType, ResultType } from "./problem/problem.ts";

/** `row` and `col` are those of the element in the product. */
export type MatmulEpilogue<I extends MatmulInputs, O extends MatmulOutputs = Readonly<Record<never, never>>> = (
  value: number,
  inputs: { readonly [K in keyof I]: number },
  row: number,
  col: number,
) => EpilogueResult<O>;

/** Where the product goes, what becomes of it on the way, and how it runs. W2601, W7606–W7615, W7627, W7672–W7674, W7695–W7698, W7705–W7707. */
export interface MatmulOptions<
  D extends ResultType = ResultType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  N extends 2 | 3 = 2 | 3,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
> extends ProductOptions<D, I, N, O> {
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
}

const matmulNames = { ...productNames, alpha: true, beta: true } as const;
const matmulOptions = optionsOf<MatmulOptions>("matmul()", matmulNames);
const matmulKernelOptions = optionsOf<MatmulOptions>("matmulKernel()", matmulNames);

/** W2601, W2602, W7046, W7627. */
function checkGiven(options: Options, known: typeof matmulOptions): void {
  checkOptions(options, known);
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
 * either may be a transposed view, and a slice of wider memory. An operand whose lines of neighbours begin at no multiples of 16 bytes is loaded
 * by threads instead of TMA, or copied before, by a launch of its own, as `plan.unaligned` says. A call with tensors and options that were given before costs little more than the launch.
 *
 * A batch is one launch: `a` [batch, M, K] and `b` [batch, K, N] give [batch, M, N]. An operand of one matrix, [1, K, N] or, of `b`, [K, N], goes with all of the
 * other one. PyTorch `torch.bmm`, cuBLAS `cublasGemmStridedBatchedEx`. W7012, W76xx.
 *
 * @example
 * ```ts
 * import { matmul } from "warpsmith/kernels";
 *
 * await using gpu = await openDevice();
 * const [a, b] = [gpu.zeros("f16", [128, 64]), gpu.zeros("f16", [64, 256])];
 * const c = matmul(a, b);
 * console.log(c.shape); // [ 128, 256 ]
 * ```
 */
export function matmul<
  D extends HalfType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  R extends ResultType = D,
  N extends 2 | 3 = 2,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
>(a: Matrices<D, N>, b: OneOrMore<NoInfer<D>>, options: MatmulOptions<R, I, NoInfer<N>, O> = {}): Matrices<R, N> {
  refuseMore(matmul, arguments);
  checkGiven(options as Options, matmulOptions);
  return run(a as Operand, b as Operand, options as Options) as Matrices<R, N>;
}

/** What `matmul` would launch, and where the product would go. */
export interface MatmulKernel<D extends ResultType, N extends 2 | 3 = 2> {
  /** The kernel: `compile`, `bench` or `launch` it with `args`. */
  readonly kernel: GemmKernel;
  /** Its arguments: tensor maps of `a`, `b` and the result, or these tensors where threads load or store them, what the epilogue reads, and alpha and beta where one is given. */
  readonly args: GemmArgs;
  /** Where the product goes: `options.out`, or new memory that is the caller's to dispose of. */
  readonly out: Matrices<D, N>;
  /** Launches that have to come before, in the same stream: one that copies operands whose lines begin at no multiples of 16 bytes where threads of the kernel do not load them, or none. */
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
  refuseMore(matmulKernel, arguments);
  checkGiven(options as Options, matmulKernelOptions);
  return look(a as Operand, b as Operand, options as Options) as MatmulKernel<R, N>;
}
