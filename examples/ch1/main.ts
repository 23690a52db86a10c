import { tensorSpec } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { type Chapter, runIfMain } from "../chapter.ts";
import { M, N, saxpy } from "./kernel.ts";

const alpha = 2.0;

export const chapter: Chapter = {
  name: "ch1",
  title: "2-D saxpy, one thread per element",
  compile: () => saxpy.compile(tensorSpec("f32", [M, N]), tensorSpec("f32", [M, N]), alpha),
  async run(gpu, seed) {
    const x = randn(M * N, seed), ones = new Float32Array(M * N).fill(1);
    using xDev = gpu.tensor("f32", [M, N], x), yDev = gpu.tensor("f32", [M, N], ones);
    saxpy.launch({}, xDev, yDev, alpha);
    return assertClose(await yDev.read(), x.map((v) => 1 + v * alpha), { rtol: 5e-3, atol: 1e-1 });
  },
};

await runIfMain(import.meta.url, chapter);
