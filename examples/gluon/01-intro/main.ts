import type { Device } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import type { Lesson, LessonCase } from "../../lesson.ts";
import { copyScalar, makeMemcpy } from "./kernel.ts";

const exact = { rtol: 0, atol: 0 };

const scalar: LessonCase = {
  kernel: "copy_scalar",
  parameters: "42.0",
  tolerance: "exact",
  async run(gpu) {
    using input = gpu.tensor("f32", [1], [42]);
    using output = gpu.zeros("f32", [1]);
    copyScalar.launch({}, input, output);
    assertClose(await output.read(), [42], exact);
  },
};

const copy = (xBlock: number, n: number): LessonCase => ({
  kernel: "memcpy",
  parameters: `xBlock=${xBlock} n=${n}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(n);
    using input = gpu.tensor("f32", [n], data);
    using output = gpu.zeros("f32", [n]);
    makeMemcpy(xBlock).launch({}, input, output);
    assertClose(await output.read(), data, exact);
  },
});

/** The fastest of several block sizes for n elements on this device, measured. Only a GPU's answer means anything. */
export async function fastestBlock(gpu: Device, n: number, candidates: readonly number[]): Promise<number> {
  using input = gpu.zeros("f32", [n]);
  using output = gpu.zeros("f32", [n]);
  let best = { xBlock: 0, ms: Number.POSITIVE_INFINITY };
  for (const xBlock of candidates) {
    const { median: ms } = await makeMemcpy(xBlock).bench({}, input, output);
    if (ms < best.ms) best = { xBlock, ms };
  }
  return best.xBlock;
}

export const lesson: Lesson = { name: "01-intro", cases: [scalar, copy(64, 40), copy(64, 500)] };
