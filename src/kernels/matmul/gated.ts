import type { DeviceTensor, Stream } from "warpsmith";
import { checkOptions, optionsOf } from "../../diag/index.ts";
import { checkTensor } from "../common/tensors.ts";
import type { Operand } from "./align.ts";
import type { EpilogueResult, MatmulInputs, MatmulKernel } from "./matmul.ts";
import type { MatmulOutputs } from "./outputs.ts";
import type { Plan } from "./plan.ts";
import type { HalfType, ResultType } from "./problem.ts";
import { checkChoices, look, type Options, run } from "./ready.ts";

/** One, or, of rank 3, a batch of them. */
type Matrices<D extends ResultType, N extends 2 | 3 = 2> = DeviceTensor<D, N>;
type OneOrMore<D extends ResultType> = Matrices<D, 2> | Matrices<D, 3>;

/** `gate` and `up` are the two sums of an element, `row` and `col` those of the element. */
export type GatedEpilogue<I extends MatmulInputs, O extends MatmulOutputs = Readonly<Record<never, never>>> = (
  gate: number,
  up: number,
  inputs: { readonly [K in keyof I]: number },
  row: number,
  col: number,
) => EpilogueResult<O>;

/** What becomes of both products, where it goes, and how it runs. `D`: the type of the result, `N`: its rank. W2601, W7606–W7615, W7672–W7674, W7695–W7699. */
export interface GatedMatmulOptions<
  D extends ResultType = ResultType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  N extends 2 | 3 = 2 | 3,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
> {
  /** Where the result goes: [M, N], or [batch, M, N], the elements of a row neighbours in memory, sharing none with the operands. Default: new memory. */
  readonly out?: Matrices<D, N>;
  /** What the result is rounded to: f16, bf16 or f32. Default: the type of `out`, else that of the operands. */
  readonly dtype?: D;
  /**
   * What the two sums of each element become, in f32, before that is rounded to the type of the result: a `helper(…)` or another function that the transform has seen.
   * A new function is a new kernel: make it once. Default: silu(gate) · up.
   */
  readonly epilogue?: GatedEpilogue<I, NoInfer<O>>;
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
  /** How to cut it up, instead of what is chosen. `tile` is one of the result: each of its elements takes two sums. */
  readonly plan?: Plan;
  /**
   * The kernel reads M at run time, and serves every M that its plan is chosen for: another M is seldom a new kernel, and with a `plan` never. Default false: a kernel for
   * each M.
   */
  readonly dynamicM?: boolean;
  /** The bits of a row do not depend on M: the sums over K are in one order for all plans that are taken, none of which splits K. Default false. */
  readonly invariant?: boolean;
  /** Let it start before the previous kernel of its stream ends, and the next one that asks for it before this one does. */
  readonly overlapPrevious?: boolean;
}

const names = {
  out: true,
  dtype: true,
  epilogue: true,
  inputs: true,
  outputs: true,
  stream: true,
  plan: true,
  dynamicM: true,
  invariant: true,
  overlapPrevious: true,
} as const;
const gatedOptions = optionsOf<GatedMatmulOptions>("gatedMatmul()", names);
const gatedKernelOptions = optionsOf<GatedMatmulOptions>("gatedMatmulKernel()", names);

/** The pair as an option of the kernel behind it, for which no second matrix is a plain product. W2601, W2602, W7046, W7601. */
function asked(
  options: GatedMatmulOptions,
  operands: Readonly<Record<"a" | "gate" | "up", unknown>>,
  known: typeof gatedOptions,
): Options {
  for (const [name, operand] of Object.entries(operands)) checkTensor(`The operand ${name}`, operand, undefined, "gatedMatmul");
  checkOptions(options, known);
  checkChoices(options as Options, known.of);
  return { ...options, second: operands.up as Operand } as Options;
}

/**
 * silu(a @ gate) · (a @ up), or what an epilogue makes of the two, in one kernel: each tile of `a` is loaded once and multiplied with both, and nothing but the result is
 * stored. `a` is [M, K], `gate` and `up` are [K, N] by shape, all of f16 or all of bf16, summed in f32; each may be a transposed view, `gate` and `up` alike, and a slice of
 * wider memory: of weights [2 N, K] in one tensor, `w.slice([0, N]).transpose(1, 0)` and `w.slice([N, 2 * N]).transpose(1, 0)`. Batches are as those of `matmul`. W7012, W76xx.
 */
export function gatedMatmul<
  D extends HalfType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  R extends ResultType = D,
  N extends 2 | 3 = 2,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
>(
  a: Matrices<D, N>,
  gate: OneOrMore<NoInfer<D>>,
  up: OneOrMore<NoInfer<D>>,
  options: GatedMatmulOptions<R, I, NoInfer<N>, O> = {},
): Matrices<R, N> {
  const all = asked(options as unknown as GatedMatmulOptions, { a, gate, up }, gatedOptions);
  return run(a as Operand, gate as Operand, all) as Matrices<R, N>;
}

/** The kernel and the arguments that `gatedMatmul` would launch, to compile, look at or measure it. W7012, W76xx. */
export function gatedMatmulKernel<
  D extends HalfType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  R extends ResultType = D,
  N extends 2 | 3 = 2,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
>(
  a: Matrices<D, N>,
  gate: OneOrMore<NoInfer<D>>,
  up: OneOrMore<NoInfer<D>>,
  options: GatedMatmulOptions<R, I, NoInfer<N>, O> = {},
): MatmulKernel<R, N> {
  const all = asked(options as unknown as GatedMatmulOptions, { a, gate, up }, gatedKernelOptions);
  return look(a as Operand, gate as Operand, all) as unknown as MatmulKernel<R, N>;
}
