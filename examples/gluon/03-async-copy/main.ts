import { assertClose, randn } from "warpsmith/testing";
import { type Lesson, type LessonCase, sized } from "../../lesson.ts";
import { type Add, makeAdd } from "./add.ts";
import { makeMemcpy, type Tile } from "./memcpy.ts";
import { makePipelined } from "./pipelined.ts";

const exact = { rtol: 0, atol: 0 };

const copy = (m: number, n: number): LessonCase => ({
  kernel: "memcpy",
  parameters: `32×64, ${m}×${n}`,
  tolerance: "exact",
  async run(gpu) {
    const data = randn(m * n);
    using x = gpu.tensor("f32", [m, n], data), y = gpu.zeros("f32", [m, n]);
    y.fill(Number.NaN);
    makeMemcpy([32, 64]).launch({}, x, y);
    assertClose(await y.read(), data, exact);
  },
});

type Size = readonly [m: number, n: number];

const sum = (kernel: string, parameters: string, add: Add) => ([m, n]: Size): LessonCase => ({
  kernel,
  parameters: `${parameters} ${m}×${n}`,
  tolerance: "exact",
  async run(gpu) {
    const x = randn(m * n, 1), y = randn(m * n, 2);
    using a = gpu.tensor("f32", [m, n], x), b = gpu.tensor("f32", [m, n], y), c = gpu.zeros("f32", [m, n]);
    c.fill(Number.NaN);
    add.launch({}, a, b, c);
    assertClose(await c.read(), x.map((v, i) => v + y[i]), exact);
  },
});

const narrow: Tile = [32, 64];

export const lesson: Lesson = {
  name: "03-async-copy",
  cases: [
    copy(200, 127),                                    // rows that begin anywhere: pieces of 4 bytes
    copy(200, 128),
    copy(1000, 256),
    ...([[32, 32], [128, 128]] as const).map((tile) => sized(sum("add", `${tile.join("×")},`, makeAdd(tile)), [1000, 2000], [200, 304])),
    sum("pipelined", "32×64, 3 buffers,", makePipelined(narrow, 3))([72, 401]),
    ...[3, 2, 1].flatMap((buffers) => {
      const of = sum("pipelined", `${narrow.join("×")}, ${buffers} buffers,`, makePipelined(narrow, buffers));
      return [sized(of, [1000, 2000], [72, 400]), sized(of, [4000, 120], [200, 120])];
    }),
  ],
};
