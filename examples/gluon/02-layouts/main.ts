import type { DeviceTensor, Layout } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import type { Lesson, LessonCase } from "../../lesson.ts";
import { type Block, makeAffine, makeMemcpy1d, makeMemcpy2d, makeMemcpyInOut } from "./kernel.ts";
import { columns, rows } from "./layouts.ts";

const exact = { rtol: 0, atol: 0 };

/** The numbers in the order of the transposed matrix: [m, n] to [n, m]. */
const turned = (x: Float32Array, m: number, n: number) => Float32Array.from(x, (_, i) => x[(i % m) * n + Math.floor(i / m)]);

const copy1d = (xBlock: number, n: number): LessonCase => ({
  kernel: "memcpy1d",
  parameters: `xBlock=${xBlock} n=${n}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(n);
    using x = gpu.tensor("f32", [n], data), y = gpu.zeros("f32", [n]);
    makeMemcpy1d(xBlock).launch({}, x, y);
    assertClose(await y.read(), data, exact);
  },
});

type Matrix = DeviceTensor<"f32", 2>;

/** Transposed, both are views of tensors that lie the other way, and so is the layout. */
const copy2d = (block: Block, m: number, n: number, transposed: boolean, layout?: Layout): LessonCase => ({
  kernel: "memcpy2d",
  parameters: `block=${block.join("×")} ${m}×${n}${transposed ? " transposed" : ""}${layout ? "" : " default layout"}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(m * n), shape = transposed ? ([n, m] as const) : ([m, n] as const);
    using x = gpu.tensor("f32", shape, data), y = gpu.zeros("f32", shape);
    const seen = (t: Matrix) => (transposed ? t.transpose() : t);
    makeMemcpy2d(block, layout).launch({}, seen(x), seen(y));
    assertClose(await y.read(), data, exact);
  },
});

const copyInOut = (block: Block, m: number, n: number): LessonCase => ({
  kernel: "memcpyInOut",
  parameters: `block=${block.join("×")} ${m}×${n}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(m * n);
    using x = gpu.tensor("f32", [m, n], data), y = gpu.zeros("f32", [n, m]);
    makeMemcpyInOut(block).launch({}, x, y.transpose());
    assertClose(await y.read(), turned(data, m, n), exact);
  },
});

const affine = (block: Block, m: number, n: number): LessonCase => ({
  kernel: "affine",
  parameters: `block=${block.join("×")} ${m}×${n}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(m * n), scale = randn(m, 1), shift = randn(n, 2);
    using x = gpu.tensor("f32", [m, n], data), y = gpu.zeros("f32", [m, n]);
    using a = gpu.tensor("f32", [m], scale), b = gpu.tensor("f32", [n], shift);
    makeAffine(block).launch({}, x, a, b, y);
    const expected = data.map((v, i) => Math.fround(v * scale[Math.floor(i / n)]) + shift[i % n]);
    assertClose(await y.read(), expected, exact);
  },
});

const blocks = [[128, 256], [256, 128]] as const, sizes = [[100, 2000], [1000, 200]] as const;

export const lesson: Lesson = {
  name: "02-layouts",
  cases: [
    ...[128, 256].flatMap((xBlock) => [200, 1000].map((n) => copy1d(xBlock, n))),
    ...blocks.flatMap((block) => sizes.flatMap(([m, n]) => [copy2d(block, m, n, false, rows), copy2d(block, m, n, true, columns)])),
    copy2d([128, 64], 100, 2000, false),
    copyInOut([128, 128], 300, 400),
    affine([64, 64], 300, 400),
  ],
};
