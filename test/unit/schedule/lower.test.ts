import { expect, test } from "vitest";
import { openDevice } from "warpsmith";
import { programKernel } from "../../../src/schedule/lower/index.ts";
import "../../../src/schedule/intrinsics/index.ts";
import type { Program } from "../../../src/schedule/ir/types.ts";
import { matmul, over, rest, sum, times, tutorial } from "./programs.ts";

const numbers = (n: number, seed: number): number[] =>
  Array.from({ length: n }, (_, i) => ((i * 7 + seed * 13 + (i >> 3)) % 7) - 3);

async function run(program: Program, [m, n, k]: readonly [number, number, number]): Promise<void> {
  const kernel = programKernel(program);
  const gpu = await openDevice("emulator", { check: "strict" });
  const [x, y] = [numbers(m * k, 1), numbers(n * k, 2)];
  const X = gpu.tensor("f16", [m, k], x);
  const Y = gpu.tensor("f16", [n, k], y);
  const Z = gpu.tensor("f32", [m, n], new Array(m * n).fill(77));
  kernel.launch({}, X, Y, Z);
  const z = await Z.read();
  const wanted = Array.from({ length: m * n }, (_, i) => {
    let s = 0;
    for (let r = 0; r < k; r++) s += (x[Math.floor(i / n) * k + r] ?? 0) * (y[(i % n) * k + r] ?? 0);
    return s;
  });
  expect(Array.from(z as never)).toEqual(wanted);
}

test("serial", () =>
  run(
    matmul(
      [8, 8, 8],
      [
        ["i", 8],
        ["j", 8],
        ["k", 8],
      ],
      (i, j, k) => [i, j, k] as never,
    ),
    [8, 8, 8],
  ));
test("blocks and threads", () =>
  run(
    matmul(
      [16, 16, 16],
      [
        ["bi", 4, "blockIdx.x"],
        ["bj", 4, "blockIdx.y"],
        ["t", 16, "threadIdx.x"],
        ["k", 16],
      ],
      (bi, bj, t, k) => [
        sum(times(bi as never, 4), over(t as never, 4)),
        sum(times(bj as never, 4), rest(t as never, 4)),
        k as never,
      ],
    ),
    [16, 16, 16],
  ));
test("tutorial", () => run(tutorial(64), [64, 64, 64]));
test("tutorial 128", () => run(tutorial(128), [128, 128, 128]));
