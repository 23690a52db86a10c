import type { Device } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import type { CaseRun, Lesson, LessonCase } from "../../lesson.ts";
import { type Splits, type StepName, steps, tensorize, tutorialSplits } from "./steps.ts";

const transposed = (x: Float32Array, n: number): Float32Array => x.map((_, i) => x[(i % n) * n + Math.floor(i / n)] ?? 0);

const product = (step: StepName, n: number, splits: Splits): CaseRun => ({
  parameters: `${n}×${n}×${n}`,
  async run(gpu: Device) {
    const a = randn(n * n, 1), b = randn(n * n, 2);
    using x = gpu.tensor("f16", [n, n], a), y = gpu.tensor("f16", [n, n], b), z = gpu.zeros("f32", [n, n]);
    z.fill(Number.NaN);
    tensorize(n, splits, step).kernel().launch({}, x, y, z);
    const wanted = referenceMatmul(a, transposed(b, n), { M: n, N: n, K: n, input: "f16" });
    assertClose(await z.read(), wanted, { rtol: 1e-3, atol: 1e-3 });
  },
});

/** The small case has all that the large one has: two blocks along each side, two warps along each, two trips over K. */
const small: Splits = { ij: [null, 2, 1], k: [null, 1, 2] };

const stepCase = (step: StepName): LessonCase => ({
  kernel: step, tolerance: "rtol 1e-3, atol 1e-3",
  ...product(step, step.startsWith("8") ? 1024 : 256, tutorialSplits),
  reduced: product(step, step.startsWith("8") ? 64 : 32, small),
});

export const lesson: Lesson = { name: "tensorir", cases: steps.map(stepCase) };
