import type { CaseRun, Lesson, LessonCase } from "../../lesson.ts";
import { product } from "./product.ts";
import { type Splits, type StepName, steps, tensorize, tutorialSplits } from "./steps.ts";

const run = (step: StepName, n: number, splits: Splits): CaseRun => product(n, () => tensorize(n, splits, step));

/** The small case has all that the large one has: two blocks along each side, two warps along each, two trips over K. */
const small: Splits = { i: [null, 2, 1], j: [null, 2, 1], k: [null, 1, 2] };

const stepCase = (step: StepName): LessonCase => ({
  kernel: step, tolerance: "rtol 1e-3, atol 1e-3",
  ...run(step, step.startsWith("8") ? 1024 : 256, tutorialSplits),
  reduced: run(step, step.startsWith("8") ? 64 : 32, small),
});

export const lesson: Lesson = { name: "tensorir", cases: steps.map(stepCase) };
