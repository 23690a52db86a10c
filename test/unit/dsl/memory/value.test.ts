import { expect, it } from "vitest";
import { blockIdx, type Dims, type f32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

/** What a kernel is called, and where its text stands, is no part of what it does. */
const instructions = (ptx: string): string => ptx.replaceAll(/^\s*(\.loc|\.file|\/\/).*$/gm, "").replaceAll(/\s*\/\/.*$/gm, "");

it("`x.at(i, j).value` compiles to what `x[i][j]` does", () => {
  const byIndex = kernel({ block: 32, grid: 256 }, function saxpy(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, alpha: f32) {
    const row = blockIdx.x,
      col = threadIdx.x;
    y[row]![col]! += x[row]![col]! * alpha;
    x[row]![col] = 1;
  });
  const byPlace = kernel({ block: 32, grid: 256 }, function saxpy(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>, alpha: f32) {
    const row = blockIdx.x,
      col = threadIdx.x;
    y.at(row, col).value += x.at(row, col).value * alpha;
    x.at(row, col).value = 1;
  });
  const shape: Dims<2> = [256, 32];
  const ptx = [byIndex, byPlace].map((k) => k.compile(tensorSpec("f32", shape), tensorSpec("f32", shape), 2).ptx);
  expect(instructions(ptx[1] ?? "")).toBe(instructions(ptx[0] ?? ""));
  expect(ptx[0]).toContain("st.global");
});
