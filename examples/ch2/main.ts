import { TMA, tensorSpec } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { type Chapter, runIfMain } from "../chapter.ts";
import { M, N, saxpy } from "./kernel.ts";

const alpha = 2.0;
const box = [1, N] as const;

export const chapter: Chapter = {
  name: "ch2",
  title: "the same, but the rows arrive by TMA",
  compile: () => {
    const spec = tensorSpec("f32", [M, N]);
    return saxpy.compile(new TMA(spec, { box }), new TMA(spec, { box }), spec, alpha);
  },
  async run(gpu, seed) {
    const x = randn(M * N, seed), ones = new Float32Array(M * N).fill(1);
    using xDev = gpu.tensor("f32", [M, N], x), yDev = gpu.tensor("f32", [M, N], ones);
    saxpy.launch({}, new TMA(xDev, { box }), new TMA(yDev, { box }), yDev, alpha);
    return assertClose(await yDev.read(), x.map((v) => 1 + v * alpha), { rtol: 5e-3, atol: 1e-1 });
  },
};

await runIfMain(import.meta.url, chapter);
