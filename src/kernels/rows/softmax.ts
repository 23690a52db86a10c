import type { DeviceTensor } from "warpsmith";
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { asRows, checkOperand, checkWritten, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { checkRowPlan, planToKeep } from "./choose-plan.ts";
import type { RowPlan } from "./plan.ts";
import { makeSoftmax } from "./softmax-kernel.ts";

/** Where the result of `softmax` or `logSoftmax` goes, and how it runs. W2601, W7046, W7613, W7616–W7618. */
export interface SoftmaxOptions<D extends FloatType = FloatType, R extends number = number> extends RunOptions {
  /** Where it goes: of the type and shape of x, which it may be. Default: new memory. */
  readonly out?: DeviceTensor<D, R>;
  /** How threads share rows, instead of what measurement chose. */
  readonly plan?: RowPlan;
}

/** One of the two: what it is called, and whether it is the logarithm. */
interface Kind {
  readonly of: string;
  readonly logarithm: boolean;
}
const plain: Kind = { of: "softmax()", logarithm: false };
const log: Kind = { of: "logSoftmax()", logarithm: true };

const names = { out: true, plan: true, stream: true, overlapPrevious: true } as const;
const softmaxOptions = optionsOf<SoftmaxOptions>(plain.of, names);
const logOptions = optionsOf<SoftmaxOptions>(log.of, names);

/**
 * A warp that keeps its row holds an address for each element where it loads them one by one. Beside them and the logarithm, ptxas keeps to 128 registers and
 * spills. With one block on a multiprocessor as the least it takes 131 registers.
 */
function planFor(columns: number, vector: number, logarithm: boolean): RowPlan {
  const plan = planToKeep(columns);
  return logarithm && vector === 1 && plan.group === "warp" ? { ...plan, blocksPerSM: 1 } : plan;
}

function prepare({ of, logarithm }: Kind, x: DeviceTensor<FloatType>, options: SoftmaxOptions): Ready {
  const { out: given, plan: wanted, overlapPrevious: overlaps = false } = options;
  checkOperand(of, "x", x);
  const rows = asRows(of, "x", x);
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: [x.dtype], shape: x.shape });
  if (wanted !== undefined) checkRowPlan(wanted);
  const into = given && asRows(of, "out", given);
  if (into) checkWritten(of, "out", into, { x: rows });
  const columns = rows.shape[1];
  const out = given ?? x.device.empty(x.dtype, [...x.shape]);
  const written = into ?? asRows(of, "out", out);
  const vector = vectorOf(columns, [rows, written]);
  const shape = { plan: wanted ?? planFor(columns, vector, logarithm), columns, vector };
  const kernel = madeOnce([of, shape, overlaps], (kept) => makeSoftmax(shape, logarithm, overlaps, kept));
  return { kernel, args: [rows, written], out };
}

function ready(kind: Kind, x: DeviceTensor<FloatType>, options: SoftmaxOptions): Call {
  checkOptions(options, kind.logarithm ? logOptions : softmaxOptions);
  checkRun(kind.of, options);
  const { out, plan, overlapPrevious = false } = options;
  return readyFor(x, [kind, out, plan, overlapPrevious], out !== undefined, () => prepare(kind, x, options));
}

/**
 * exp(x) / Σ exp(x) over the last axis, for f16, bf16 and f32, computed in f32 and rounded once. The greatest element of each row is
 * subtracted first; a row with NaN or +∞, or of -∞ alone, is NaN, as in PyTorch. W7012, W76xx.
 *
 * @example
 * ```ts
 * import { softmax } from "warpsmith/kernels";
 *
 * await using gpu = await openDevice();
 * const p = softmax(gpu.tensor("f32", [1, 4], [0, 0, 0, 0]));
 * console.log(await p.read()); // Float32Array(4) [ 0.25, 0.25, 0.25, 0.25 ]
 * ```
 */
export function softmax<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  options: SoftmaxOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(softmax, arguments);
  const { out } = launch(ready(plain, x, options as SoftmaxOptions), options, options?.out);
  return out as DeviceTensor<D, R>;
}
prepares(softmax, (x: DeviceTensor<FloatType>, options: SoftmaxOptions = {}) => ready(plain, x, options));

/**
 * x - log Σ exp(x) over the last axis, for f16, bf16 and f32, computed in f32 and rounded once: what is left of small probabilities when they are no numbers any more. A row with
 * NaN or +∞, or of -∞ alone, is NaN where `softmax` is. W7012, W76xx.
 */
export function logSoftmax<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  options: SoftmaxOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(logSoftmax, arguments);
  const { out } = launch(ready(log, x, options as SoftmaxOptions), options, options?.out);
  return out as DeviceTensor<D, R>;
}
prepares(logSoftmax, (x: DeviceTensor<FloatType>, options: SoftmaxOptions = {}) => ready(log, x, options));
