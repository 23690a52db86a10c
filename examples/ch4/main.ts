import { type DeviceTensor, TMA, type TensorSpec, tensorSpec } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { type Chapter, runIfMain } from "../chapter.ts";
import { gemmMultistage } from "./kernel.ts";

const M = 512, N = 256, K = 1024, stages = 7;

type Matrix = TensorSpec<"f16", 2> | DeviceTensor<"f16", 2>;
const maps = (a: Matrix, b: Matrix) =>
  [new TMA(a, { box: [128, 64], swizzle: "128B" }), new TMA(b, { box: [64, 64], swizzle: "128B" })] as const;

export const chapter: Chapter = {
  name: "ch4",
  title: "multistage: loads run ahead of the tensor cores",
  compile: () => gemmMultistage.compile(...maps(tensorSpec("f16", [M, K]), tensorSpec("f16", [K, N])), tensorSpec("f32", [M, N]), stages),
  async run(gpu, seed) {
    const a = randn(M * K, 2 * seed), b = randn(K * N, 2 * seed + 1);
    using aDev = gpu.tensor("f16", [M, K], a), bDev = gpu.tensor("f16", [K, N], b), d = gpu.empty("f32", [M, N]);
    d.fill(Number.NaN);
    gemmMultistage.launch({}, ...maps(aDev, bDev), d, stages);
    return assertClose(await d.read(), referenceMatmul(a, b, { M, N, K }), { rtol: 5e-3, atol: 1e-1 });
  },
};

await runIfMain(import.meta.url, chapter);
