import type { DeviceTensor } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { asRows, checkOperand, checkWritten, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import { checkRowPlan, planForNorm } from "./choose-plan.ts";
import { makeNorm } from "./norm-kernel.ts";
import type { RowPlan } from "./plan.ts";

type Any = DeviceTensor<FloatType>;

/** What `rmsNorm` adds before and where its results go. W2601, W7012, W7046, W7613, W7616–W7620. */
export interface RmsNormOptions<D extends FloatType = FloatType, R extends number = number> extends RunOptions {
  /** Added to the mean of squares. Default: 1e-6. */
  readonly eps?: number;
  /** Added to x, rounded, and then normalised: of the type and shape of x. */
  readonly residual?: DeviceTensor<D, R>;
  /** Where x + residual goes: of the type and shape of x. It may be x or the residual. Default: nowhere. */
  readonly sum?: DeviceTensor<D, R>;
  /** Where the norm goes: of the type and shape of x. It may be x or the residual. Default: new memory. */
  readonly out?: DeviceTensor<D, R>;
  /** How threads share rows, instead of what measurement chose. */
  readonly plan?: RowPlan;
}

/** As those of `rmsNorm`, and a bias. W2601, W7012, W7046, W7613, W7616–W7620. */
export interface LayerNormOptions<D extends FloatType = FloatType, R extends number = number> extends RmsNormOptions<D, R> {
  /** Added to the variance. Default: 1e-5. */
  readonly eps?: number;
  /** Added at the end: one number for each column, of f16, bf16 or f32. Default: nothing. */
  readonly bias?: DeviceTensor<FloatType, 1>;
}

const names = { eps: true, residual: true, sum: true, out: true, plan: true, stream: true, overlapPrevious: true } as const;
const rmsOptions = optionsOf<RmsNormOptions>("rmsNorm()", names);
const layerOptions = optionsOf<LayerNormOptions>("layerNorm()", { ...names, bias: true });

/** A norm: what it is called, and what it is. */
interface Norm {
  readonly of: string;
  readonly centred: boolean;
  readonly eps: number;
}
const rms: Norm = { of: "rmsNorm()", centred: false, eps: 1e-6 };
const layer: Norm = { of: "layerNorm()", centred: true, eps: 1e-5 };

function checkNumbers({ of }: Norm, eps: number): void {
  if (typeof eps !== "number" || !(eps >= 0 && Number.isFinite(eps)))
    fail("W7046", { of, option: "eps", given: display(eps), expected: "a number from 0" });
}

function checkTensors({ of }: Norm, x: Any, weight: Any, { residual, sum, out, bias }: LayerNormOptions): void {
  checkOperand(of, "x", x);
  const like = { dtypes: [x.dtype], shape: x.shape };
  const line = { shape: [x.shape.at(-1) ?? 1] };
  checkOperand(of, "weight", weight, line);
  if (bias !== undefined) checkOperand(of, "bias", bias, line);
  for (const [name, tensor] of Object.entries({ residual, sum, out }))
    if (tensor !== undefined) checkOperand(of, name, tensor, like);
  if (sum !== undefined && residual === undefined) fail("W7620", { of, name: "sum", needs: "residual" });
}

/** A line as the kernel reads it. W7617. */
function asLine(of: string, name: string, tensor: Any): Any {
  asRows(of, name, tensor);
  return tensor;
}

function prepare(norm: Norm, x: Any, weight: Any, options: LayerNormOptions): Ready {
  const { of } = norm;
  const { eps = norm.eps, residual, sum, out: given, bias, plan: wanted, overlapPrevious: overlaps = false } = options;
  checkNumbers(norm, eps);
  checkTensors(norm, x, weight, options);
  if (wanted !== undefined) checkRowPlan(wanted);
  const rows = asRows(of, "x", x);
  const [added, total] = [
    residual !== undefined ? asRows(of, "residual", residual) : undefined,
    sum !== undefined ? asRows(of, "sum", sum) : undefined,
  ];
  const lines = [asLine(of, "weight", weight), ...(bias !== undefined ? [asLine(of, "bias", bias)] : [])];
  if (total) checkWritten(of, "sum", total, { x: rows, residual: added }, { weight, bias });
  const out = given ?? x.device.empty(x.dtype, [...x.shape]);
  const written = asRows(of, "out", out);
  checkWritten(of, "out", written, { x: rows, residual: added }, { weight, bias, sum: total });
  const columns = rows.shape[1];
  const kind = { centred: norm.centred, residual: residual !== undefined, sum: sum !== undefined, bias: bias !== undefined };
  const matrices = [rows, written, ...(added ? [added] : []), ...(total ? [total] : [])];
  const shape = { plan: wanted ?? planForNorm(columns, kind), columns, vector: vectorOf(columns, matrices, lines) };
  const kernel = madeOnce([of, kind, shape, overlaps], (kept) => makeNorm(kind, shape, overlaps, kept));
  const more = { residual: added ?? rows, sum: total ?? written, weight, bias: bias ?? weight };
  return { kernel, args: [rows, written, more, eps], out };
}

function ready(norm: Norm, x: Any, weight: Any, options: LayerNormOptions): Call {
  checkOptions(options, norm.centred ? layerOptions : rmsOptions);
  checkRun(norm.of, options);
  const { eps, residual, sum, out, bias, plan, overlapPrevious = false } = options;
  const asked = [norm, weight, eps, residual, sum, out, bias, plan, overlapPrevious];
  return readyFor(x, asked, out !== undefined, () => prepare(norm, x, weight, options));
}

/**
 * x / √(mean(x²) + eps) · weight over the last axis, for f16, bf16 and f32, computed in f32 and rounded once. With a residual it is the norm of x + residual, which
 * is rounded to its type first. `weight`: one number for each column, of f16, bf16 or f32. W7012, W76xx.
 */
export function rmsNorm<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  weight: DeviceTensor<FloatType, 1>,
  options: RmsNormOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(rmsNorm, arguments);
  const { out } = launch(ready(rms, x, weight, options as RmsNormOptions), options, options?.out);
  return out as DeviceTensor<D, R>;
}
prepares(rmsNorm, (x: Any, weight: Any, options: RmsNormOptions = {}) => ready(rms, x, weight, options));

/**
 * (x - mean(x)) / √(variance(x) + eps) · weight + bias over the last axis, for f16, bf16 and f32, computed in f32 and rounded once: the variance is the mean of the squares
 * of what is left when the mean is subtracted. With a residual it is the norm of x + residual, which is rounded to its type first. `weight`: one number for each
 * column, of f16, bf16 or f32. W7012, W76xx.
 *
 * @example
 * ```ts
 * import { layerNorm } from "warpsmith/kernels";
 *
 * await using gpu = await openDevice();
 * const y = layerNorm(gpu.zeros("f16", [4, 512]), gpu.zeros("f32", [512]));
 * console.log(y.shape); // [ 4, 512 ]
 * ```
 */
export function layerNorm<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  weight: DeviceTensor<FloatType, 1>,
  options: LayerNormOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(layerNorm, arguments);
  const { out } = launch(ready(layer, x, weight, options as LayerNormOptions), options, options?.out);
  return out as DeviceTensor<D, R>;
}
prepares(layerNorm, (x: Any, weight: Any, options: LayerNormOptions = {}) => ready(layer, x, weight, options));
