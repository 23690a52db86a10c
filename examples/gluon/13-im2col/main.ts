import { TMA } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import type { Lesson, LessonCase } from "../../lesson.ts";
import { type Conv, convArgs, makeConv, placesOf } from "./conv.ts";
import { CHANNELS, load, windows } from "./load.ts";
import { pixelsOf, SIDE } from "./places.ts";

const loads = Object.entries(windows).map(([name, window]): LessonCase => ({
  kernel: "load",
  parameters: `${name}: ${window.images}×${SIDE}×${SIDE}×${CHANNELS}`,
  tolerance: "exact",
  async run(gpu) {
    const { images, lower, upper, stride, pixels, offsets } = window;
    const shape = [images, SIDE, SIDE, CHANNELS] as const, data = randn(images * SIDE * SIDE * CHANNELS);
    using x = gpu.tensor("f32", shape, data), rows = gpu.zeros("f32", [pixels, CHANNELS]);
    const map = TMA.im2col(x, { lower, upper, pixels, channels: CHANNELS, elementStrides: [1, stride, stride, 1] });
    load.launch({}, map, rows, offsets, lower);
    const expected = pixelsOf(window).flatMap((pixel) =>
      Array.from({ length: CHANNELS }, (_, c) => (pixel === undefined ? 0 : data[pixel * CHANNELS + c])));
    assertClose(await rows.read(), expected, { rtol: 0, atol: 0 });
  },
}));

interface ConvSizes extends Conv {
  readonly images: number;
  readonly channels: number;
  readonly filters: number;
  /** Rows and columns of a filter. */
  readonly side: number;
}

const convolution = ({ images, channels, filters, side, stride, pad }: ConvSizes): LessonCase => ({
  kernel: "conv",
  parameters: `${images}×16×16×${channels}, ${filters} filters of ${side}×${side}, stride ${stride}, pad ${pad}`,
  tolerance: "rtol 1e-2 atol 1e-2",
  async run(gpu) {
    const xShape = [images, 16, 16, channels] as const, wShape = [filters, side, side, channels] as const;
    using x = gpu.tensor("f16", xShape, randn(images * 256 * channels, 1)), w = gpu.tensor("f16", wShape, randn(filters * side * side * channels, 2));
    const [P, Q] = placesOf(x, w, { stride, pad });
    using y = gpu.zeros("f16", [images * P * Q, filters]);
    y.fill(Number.NaN);
    makeConv({ stride, pad }).launch({}, ...convArgs(x, w, y, { stride, pad }));
    const image = Float32Array.from(await x.read()), filter = Float32Array.from(await w.read());
    const expected = new Float64Array(images * P * Q * filters);
    for (let i = 0; i < expected.length; i++) {
      const k = i % filters, q = Math.floor(i / filters) % Q, p = Math.floor(i / filters / Q) % P, n = Math.floor(i / filters / Q / P);
      for (let r = 0; r < side; r++) for (let s = 0; s < side; s++) {
        const h = p * stride - pad + r, v = q * stride - pad + s;
        if (h < 0 || h > 15 || v < 0 || v > 15) continue;
        for (let c = 0; c < channels; c++)
          expected[i] += image[((n * 16 + h) * 16 + v) * channels + c] * filter[((k * side + r) * side + s) * channels + c];
      }
    }
    assertClose(await y.read(), expected, { rtol: 1e-2, atol: 1e-2 });
  },
});

export const lesson: Lesson = {
  name: "13-im2col",
  cases: [
    ...loads,
    ...[1, 4].flatMap((images) => [64, 96].flatMap((channels) => [3, 1].flatMap((side) => [1, 2].flatMap((stride) => [0, 1].map((pad) =>
      convolution({ images, channels, filters: channels, side, stride, pad })))))),
  ],
};
