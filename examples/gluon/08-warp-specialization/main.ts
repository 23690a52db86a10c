import type { Device } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { mapsOf, type Matrix } from "../05-wgmma/plan.ts";
import type { PersistentPlan } from "../07-persistence/persistent.ts";
import { type Lesson, type LessonCase, sized } from "../../lesson.ts";
import { productCase, type Sizes } from "../product.ts";
import { add, addArgs, type AddPlan } from "./add.ts";
import { makeMatmul } from "./matmul.ts";

const addCase = (plan: AddPlan) => ([m, n]: readonly [number, number]): LessonCase => ({
  kernel: "add",
  parameters: `${plan.tile.join("×")}, ${plan.loads} + ${plan.stores} buffers, ${4 * plan.warpgroups} warps, ${m}×${n}`,
  tolerance: "exact",
  async run(gpu) {
    const x = randn(m * n, 1), y = randn(m * n, 2);
    using a = gpu.tensor("f32", [m, n], x), b = gpu.tensor("f32", [m, n], y), c = gpu.zeros("f32", [m, n]);
    c.fill(Number.NaN);
    add.launch({}, ...addArgs(a, b, c, plan));
    assertClose(await c.read(), x.map((v, i) => v + y[i]), { rtol: 0, atol: 0 });
  },
});

/** The kernel for a plan with its arguments. To time it: `multiply.bench({}, ...args)`. */
export const matmul = (a: Matrix, b: Matrix, c: Matrix, plan: PersistentPlan, blocks: number) =>
  ({ multiply: makeMatmul(plan), args: [...mapsOf(a, b, c, plan), blocks] as const });

/** On the emulator three blocks, so that each has several tiles. */
const blocksOf = ({ kind, multiprocessors }: Device) => (kind === "emulator" ? 3 : multiprocessors);

const product = (plan: PersistentPlan) => (sizes: Sizes) => productCase({
  kernel: "matmul", parameters: `${plan.tile.join("×")}, ${plan.stages} stages, ${4 * plan.warpgroups} warps that multiply,`,
  launch(a, b, c) {
    const { multiply, args } = matmul(a, b, c, plan, blocksOf(c.device));
    multiply.launch({}, ...args);
  },
}, sizes);

const both = [1, 2] as const, order = { group: 8 } as const;
const plans: readonly PersistentPlan[] = [
  ...both.flatMap((warpgroups) => ([[64, 64, 64], [128, 128, 64]] as const).map((tile) => ({ tile, warpgroups, stages: 3, order }))),
  ...[3, 4].map((stages) => ({ tile: [128, 256, 64], warpgroups: 2, stages, order }) as const),
];

export const lesson: Lesson = {
  name: "08-warp-specialization",
  cases: [
    ...both.flatMap((buffers) => both.flatMap((warpgroups) => {
      const of = addCase({ tile: [32, 64], loads: buffers, stores: buffers, warpgroups });
      return [sized(of, [1000, 2000], [72, 400]), sized(of, [4000, 120], [200, 120])];
    })),
    ...plans.flatMap((plan) => [product(plan)([208, 416, 304]), sized(product(plan), [2000, 1000, 2000], [2 * plan.tile[0] + 8, 2 * plan.tile[1] + 8, 208])]),
  ],
};
