import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { checkTensor } from "../common/tensors.ts";
import type { Operand } from "./launch/align.ts";
import { checkChoices, look, type Options, run } from "./launch/ready.ts";
import type { MatmulKernel } from "./matmul.ts";
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

/** `gate` and `up` are the two sums of an element, `row` and `col` those of the element. */
export type GatedEpilogue<I extends MatmulInputs, O extends MatmulOutputs = Readonly<Record<never, never>>> = (
  gate: number,
  up: number,
  inputs: { readonly [K in keyof I]: number },
  row: number,
  col: number,
) => EpilogueResult<O>;

/** What becomes of both products, where it goes, and how it runs. W2601, W7606–W7615, W7672–W7674, W7695–W7698, W7705–W7707. */
export interface GatedMatmulOptions<
  D extends ResultType = ResultType,
  I extends MatmulInputs = Readonly<Record<never, never>>,
  N extends 2 | 3 = 2 | 3,
  O extends MatmulOutputs = Readonly<Record<never, never>>,
> extends ProductOptions<D, I, N, O> {
  /**
   * What the two sums of each element become, in f32, before that is rounded to the type of the result: a `helper(…)` or another function that the transform has seen.
   * A new function is a new kernel: make it once. Default: silu(gate) · up.
   */
  readonly epilogue?: GatedEpilogue<I, NoInfer<O>>;
}

const gatedOptions = optionsOf<GatedMatmulOptions>("gatedMatmul()", productNames);
const gatedKernelOptions = optionsOf<GatedMatmulOptions>("gatedMatmulKernel()", productNames);

/** The pair as an option of the kernel behind it, for which no second matrix is a plain product. W2601, W2602, W7046, W7601. */
function asked(options: object, operands: Readonly<Record<"a" | "gate" | "up", unknown>>, known: typeof gatedOptions): Options {
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
  refuseMore(gatedMatmul, arguments);
  const all = asked(options, { a, gate, up }, gatedOptions);
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
  refuseMore(gatedMatmulKernel, arguments);
  const all = asked(options, { a, gate, up }, gatedKernelOptions);
  return look(a as Operand, gate as Operand, all) as MatmulKernel<R, N>;
}
