import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { type Lesson, type LessonCase, sized } from "../../lesson.ts";
import { productCase, type Sizes } from "../product.ts";
import { blockedArgs, type BlockedPlan, makeBlocked } from "./blocked.ts";
import { makePipelined } from "./pipelined.ts";
import { mapsOf, type Matrix, type Plan } from "./plan.ts";
import { makeSmall, smallMaps, type SmallPlan } from "./small.ts";

const small = ([M, N, K]: Sizes, plan: SmallPlan): LessonCase => ({
  kernel: "small",
  parameters: `${M}×${N}×${K} n${plan.width} A in ${plan.registers ? "registers" : "shared memory"}, ${4 * plan.warpgroups} warps`,
  tolerance: "rtol 1e-1 atol 1e-3",
  async run(gpu) {
    const a = randn(M * K, 1), b = randn(K * N, 2), c = randn(M * N, 3);
    using left = gpu.tensor("f16", [M, K], a), right = gpu.tensor("f16", [K, N], b);
    using third = gpu.tensor("f32", [M, N], c), d = gpu.zeros("f32", [M, N]);
    makeSmall(plan).launch({}, ...smallMaps(left, right, plan), third, d);
    const product = referenceMatmul(a, b, { M, N, K, output: "f32" });
    assertClose(await d.read(), product.map((v, i) => v + c[i]), { rtol: 1e-1, atol: 1e-3 });
  },
});

const named = ({ tile, warpgroups, transposed }: BlockedPlan) => `${tile.join("×")}, ${4 * warpgroups} warps${transposed ? ", Bᵀ" : ""},`;

/** Kernels made once for each plan. To time one: `multiply.bench({}, ...args)`. */
export const blocked = (a: Matrix, b: Matrix, c: Matrix, plan: BlockedPlan) => ({ multiply: makeBlocked(plan), args: blockedArgs(a, b, c, plan) });
export const pipelined = (a: Matrix, b: Matrix, c: Matrix, plan: Plan) => ({ multiply: makePipelined(plan), args: mapsOf(a, b, c, plan) });

const ragged = [208, 416, 304] as const, large = [2000, 1000, 2000] as const;
const tiles = [[64, 64, 64], [128, 128, 128]] as const, both = [1, 2] as const;

const blockedCases = tiles.flatMap((tile) => both.flatMap((warpgroups) => [false, true].flatMap((transposed) => {
  const plan = { tile, warpgroups, transposed };
  const of = (sizes: Sizes) => productCase({
    kernel: "blocked", parameters: named(plan), transposed,
    launch(a, b, c) {
      const { multiply, args } = blocked(a, b, c, plan);
      multiply.launch({}, ...args);
    },
  }, sizes);
  return [of(ragged), sized(of, large, [200, 136, 272])];
})));

const pipelinedCases = tiles.flatMap((tile) => both.flatMap((warpgroups) => {
  const plan: Plan = { tile, warpgroups, stages: 2 };
  const of = (sizes: Sizes) => productCase({
    kernel: "pipelined", parameters: named(plan),
    launch(a, b, c) {
      const { multiply, args } = pipelined(a, b, c, plan);
      multiply.launch({}, ...args);
    },
  }, sizes);
  return [of(ragged), sized(of, large, [200, 136, 272])];
}));

export const lesson: Lesson = {
  name: "05-wgmma",
  cases: [
    ...([[64, 32, 32], [64, 256, 128]] as const).flatMap((sizes) => [16, 64].flatMap((n) => both.flatMap((warpgroups) =>
      [false, true].map((registers) => small(sizes, { width: Math.min(n, sizes[1] / warpgroups), warpgroups, registers }))))),
    ...blockedCases,
    ...pipelinedCases,
  ],
};
