import type { DeviceTensor } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { asColumn, asRows, checkOperand, checkWritten, leadingShape, vectorOf } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import type { FloatType } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import type { RowPlan } from "../rows/plan.ts";
import { checkSelectPlan, planToSelect } from "./choose-plan.ts";
import { makeSample } from "./sample-kernel.ts";
import { checkCount } from "./top-k.ts";

/** What `sample` draws from and by which numbers, where its columns go, and how it runs. W2601, W7012, W7046, W7613, W7616, W7617, W7619, W7624, W7711. */
export interface SampleOptions extends RunOptions {
  /** What the logits are divided by: more than 0. Default: 1. */
  readonly temperature?: number;
  /** Draw from the k greatest elements of each row alone. Default: from all. */
  readonly topK?: number;
  /** Draw from the fewest of these, from the greatest on, that have at least this part of their probability: over 0, up to 1. Default: 1. */
  readonly topP?: number;
  /** A number from 0 to 1, without 1, for each row: f32, of the shape of the result. Either this or a seed. */
  readonly uniform?: DeviceTensor<"f32">;
  /** The key of random numbers (Philox4x32-10): a whole number from 0 to 2^53 - 1. Each row has one of its own. */
  readonly seed?: number;
  /** Which of the numbers of the seed: another one for each call, such as the place of the token. A whole number from 0 to 2^53 - 1. Default: 0. */
  readonly offset?: number;
  /** Where the columns go: i32, of the shape of the logits without their last axis ([1] for one row). Default: new memory. */
  readonly out?: DeviceTensor<"i32">;
  /** How threads share rows, instead of what measurement chose: blocks that read rows again. */
  readonly plan?: RowPlan;
}

const of = "sample()";
const known = optionsOf<SampleOptions>(of, {
  ...{ temperature: true, topK: true, topP: true, uniform: true, seed: true, offset: true },
  ...{ out: true, plan: true, stream: true, overlapPrevious: true },
});

/** W7046, W7711. */
function checkNumbers({ temperature = 1, topP = 1, uniform, seed, offset = 0 }: SampleOptions): void {
  const refuse = (option: string, given: unknown, expected: string): never =>
    fail("W7046", { of, option, given: display(given), expected });
  const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  if (typeof temperature !== "number" || !(temperature > 0 && Number.isFinite(temperature)))
    refuse("temperature", temperature, "a number over 0: argmax() is what it comes to at 0");
  if (typeof topP !== "number" || !(topP > 0 && topP <= 1)) refuse("topP", topP, "a number over 0 and up to 1");
  if ((uniform === undefined) === (seed === undefined)) fail("W7711", { given: uniform === undefined ? "neither" : "both" });
  if (seed !== undefined && !isWhole(seed)) refuse("seed", seed, "a whole number from 0 to 2^53 - 1");
  if (!isWhole(offset)) refuse("offset", offset, "a whole number from 0 to 2^53 - 1");
}

/** Its lower 32 bits, and the others. */
const wordsOf = (value: number): readonly [number, number] => [value >>> 0, Math.floor(value / 2 ** 32)];

function prepare(logits: DeviceTensor<FloatType>, options: SampleOptions): Ready {
  const { temperature = 1, topK, topP = 1, uniform, seed = 0, offset = 0, out: given, plan: wanted } = options;
  const { overlapPrevious: overlaps = false } = options;
  checkOperand(of, "logits", logits);
  checkNumbers(options);
  const rows = asRows(of, "logits", logits);
  const [count, columns] = rows.shape;
  if (topK !== undefined) checkCount("topK of sample()", topK, columns, 1, columns);
  const leading = leadingShape(logits);
  if (uniform !== undefined) checkOperand(of, "uniform", uniform, { dtypes: ["f32"], shape: leading });
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: ["i32"], shape: leading });
  if (wanted !== undefined) checkSelectPlan(wanted);
  const draws = uniform && asColumn(of, "uniform", uniform);
  return taking(logits.device, (take) => {
    const out = given ?? take("i32", leading);
    const column = asColumn(of, "out", out);
    checkWritten(of, "out", column, {}, { logits: rows, uniform: draws });
    const plan = { ...(wanted ?? planToSelect(columns, count)), keep: false };
    const cuts = { topK: topK !== undefined && topK < columns, topP: topP < 1 };
    const shape = { plan, columns, vector: vectorOf(columns, [rows]), ...cuts };
    const kernel = madeOnce([of, shape, uniform !== undefined, overlaps], (kept) =>
      makeSample(shape, uniform !== undefined, overlaps, kept),
    );
    const numbers = [1 / temperature, topK ?? columns, Math.min(Math.round(topP * 2 ** 32), 2 ** 32 - 1)];
    const args = [rows, column, draws ? { uniform: draws } : {}, ...numbers, ...wordsOf(seed), ...wordsOf(offset)];
    return { kernel, args, out };
  });
}

function ready(logits: DeviceTensor<FloatType>, options: SampleOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  const { temperature, topK, topP, uniform, seed, offset, out, plan, overlapPrevious = false } = options;
  const asked = [of, temperature, topK, topP, uniform, seed, offset, out, plan, overlapPrevious];
  return readyFor(logits, asked, out !== undefined, () => prepare(logits, options));
}

/**
 * A column of each row, over the last axis, drawn with the probabilities softmax(logits / temperature), for logits of f16, bf16 and f32: of the k greatest elements (`topK`), and of
 * the fewest of these that have a part of their probability (`topP`). The column is where the sum of probabilities, from the greatest element on and of equal ones from the lowest
 * column, passes the number drawn: the same for the same numbers. Probabilities are multiples of about 2^-31, computed in f32. The result is i32, of the shape of the logits without
 * the last axis ([1] for one row); -1 where a row has NaN or +∞, or -∞ alone. W7012, W7711, W76xx.
 */
export function sample(logits: DeviceTensor<FloatType>, options: SampleOptions): DeviceTensor<"i32"> {
  refuseMore(sample, arguments);
  return launch(ready(logits, options), options, options?.out).out as DeviceTensor<"i32">;
}
prepares(sample, (logits: DeviceTensor<FloatType>, options: SampleOptions) => ready(logits, options));
