import { type CaseRun, type Lesson, type LessonCase } from "../../../lesson.ts";
import { product } from "../product.ts";
import { fullSizes, type FurtherStep, ladder, type Sizes } from "./steps.ts";

/** All that the large ones have: several blocks, warps, tiles of a warp and groups, and more trips than tiles in shared memory. */
export const reducedSizes: Sizes = {
  large: { i: [null, 2, 2], j: [null, 2, 2], k: [null, 2, 1] },
  small: { i: [null, 1, 2], j: [null, 2, 2], k: [null, 2, 1] },
  ...{ ahead: 2, columns: 64, few: 2, many: 3, order: 2 },
};
/** Tiles of a warpgroup have 64 rows, and 64 of K are one trip. */
export const reducedSize = { warps: 128, warpgroup: 192 } as const;

const run = (n: number, { make }: FurtherStep, sizes: Sizes): CaseRun => product(n, () => make(n, sizes));

const stepCase = (step: FurtherStep): LessonCase => ({
  kernel: step.name, tolerance: "rtol 1e-3, atol 1e-3",
  ...run(1024, step, fullSizes),
  reduced: run(reducedSize[step.by], step, reducedSizes),
});

export const lesson: Lesson = { name: "tensorir/further", cases: ladder.slice(1).map(stepCase) };
