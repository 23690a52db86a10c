import { assertClose, randn } from "warpsmith/testing";
import { type Lesson, type LessonCase, sized } from "../../lesson.ts";
import { multicast, multicastArgs } from "./multicast.ts";
import { makeSoftmax, type SoftmaxPlan } from "./softmax.ts";

/** In f64, row by row. */
function softmaxOf(x: Float32Array, columns: number): Float64Array {
  const out = new Float64Array(x.length);
  for (let at = 0; at < x.length; at += columns) {
    const row = x.subarray(at, at + columns), max = row.reduce((a, b) => Math.max(a, b));
    const exps = Float64Array.from(row, (v) => Math.exp(v - max)), sum = exps.reduce((a, b) => a + b);
    out.set(exps.map((e) => e / sum), at);
  }
  return out;
}

const softmax = (plan: SoftmaxPlan) => ([rows, columns]: readonly [number, number]): LessonCase => ({
  kernel: "softmax",
  parameters: `${plan.blocks} blocks of ${plan.threads} threads, ${rows}×${columns}`,
  tolerance: "rtol 1e-5 atol 1e-5",
  async run(gpu) {
    const data = randn(rows * columns);
    using x = gpu.tensor("f32", [rows, columns], data), y = gpu.zeros("f32", [rows, columns]);
    makeSoftmax(plan).launch({}, x, y);
    assertClose(await y.read(), softmaxOf(data, columns), { rtol: 1e-5, atol: 1e-5 });
  },
});

const copy: LessonCase = {
  kernel: "multicast",
  parameters: "2 blocks, 128×128",
  tolerance: "exact",
  async run(gpu) {
    const data = randn(128 * 128);
    using src = gpu.tensor("f16", [128, 128], data), dst = gpu.zeros("f16", [128, 128]);
    multicast.launch({}, ...multicastArgs(src, dst));
    assertClose(await dst.read(), await src.read(), { rtol: 0, atol: 0 });
  },
};

export const lesson: Lesson = {
  name: "14-multi-cta",
  cases: [
    softmax({ blocks: 2, threads: 32 })([64, 64]),
    softmax({ blocks: 2, threads: 32 })([64, 256]),
    // Rows have clusters of their own.
    sized(softmax({ blocks: 8, threads: 512 }), [16, 65536] as const, [2, 65536] as const),
    copy,
  ],
};
