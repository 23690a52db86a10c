import { TMA } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import type { Lesson, LessonCase } from "../lesson.ts";
import { BLOCK, memcpyTma } from "./kernel.ts";
import { orders } from "./orders.ts";

const copy = (n: number): LessonCase => ({
  kernel: "memcpyTma",
  parameters: `block=${BLOCK} n=${n}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(n), box = [BLOCK] as const;
    using input = gpu.tensor("f32", [n], data), output = gpu.zeros("f32", [n]);
    memcpyTma.launch({}, new TMA(input, { box }), new TMA(output, { box }));
    assertClose(await output.read(), data, { rtol: 0, atol: 0 });
  },
});

export const lesson: Lesson = {
  name: "04-tma",
  cases: [
    copy(40),
    copy(500),
    ...orders.map(({ name, run }): LessonCase => ({ kernel: name, parameters: "fenced", tolerance: "exact", run: (gpu) => run(gpu, true) })),
  ],
};
