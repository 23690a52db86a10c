import { expect, it } from "vitest";
import { type i32, kernel, openDevice, type Tensor, WMMAMatrix, warp } from "warpsmith";

const add = kernel({ block: 32, grid: 1, debug: true }, function add(x: Tensor<"f32", 2>, row: i32) {
  const part = x.subview([row, 8], [16, 16]);
  WMMAMatrix.load("c", part)
    .map((v) => v + 1)
    .store(part);
});

it.each([
  [8, undefined],
  [9, /[Ii]ndex 24 in dimension 0 of x, \[24, 24\]/],
  [-1, /[Ii]ndex -1 in dimension 0 of x, \[24, 24\]/],
])("debug checks that a matrix of a warp lies in its tensor: row %i", async (row, says) => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [24, 24]);
  add.launch({}, x, row);
  if (says) await expect(gpu.sync()).rejects.toThrow(says);
  else await gpu.sync();
});

const eachLane = kernel({ block: 32, grid: 1 }, function eachLane(x: Tensor<"f32", 2>, d: Tensor<"f32", 2>) {
  WMMAMatrix.load("c", x.subview([warp.lane, 0], [16, 16])).store(d);
});

it("the emulator refuses an address that threads of the warp do not agree on", async () => {
  await using gpu = await openDevice("emulator");
  using x = gpu.zeros("f32", [64, 16]);
  using d = gpu.zeros("f32", [16, 16]);
  eachLane.launch({}, x, d);
  await expect(gpu.sync()).rejects.toThrow(/not the same in thread 0 and thread 1 of its warp/);
});
