import { expect, it } from "vitest";
import {
  type Accumulator,
  helper,
  i32,
  kernel,
  range,
  type SharedView,
  sharedMemory,
  type Tensor,
  tensorSpec,
  WGMMAMatrix,
  wgmma,
} from "warpsmith";

const options = { block: 128, grid: 1 };
const spec = tensorSpec("f32", [64, 64]);
const operands = helper(() => {
  const tile = (): SharedView<"f16", 2> => sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  return { A: WGMMAMatrix.descriptor(tile(), [64, 64]), B: WGMMAMatrix.descriptor(tile(), [64, 64]) };
});
const zeros = helper((): Accumulator => WGMMAMatrix.accumulator("f32", [64, 64]));

/** Ends early with another accumulator, from a loop and from a branch in a branch. */
const early = helper((D: Accumulator, n: number): Accumulator => {
  for (const i of range(n)) if (i > 2) return D.scale(2);
  if (n > 3) {
    if (n > 5) return D.scale(3);
  }
  return D;
});
const row = helper((d: Tensor<"f32", 2>, n: number) => {
  for (const i of range(n)) if (i > 2) return d.at(i);
  return d.at(0);
});

it("accumulators and rows that a helper returns from a loop", () => {
  const returned = kernel(options, function returned(d: Tensor<"f32", 2>, n: i32) {
    const { A, B } = operands();
    early(zeros().mma(A, B, { wait: 0 }), n).store(d);
    row(d, n).at(i32(1)).store(1);
  });
  expect(returned.compile(spec, 3).ptx).toContain("wgmma");
});

it("an accumulator that a product has updated is not used again", () => {
  const twice = kernel(options, function twice(d: Tensor<"f32", 2>) {
    const { A, B } = operands();
    const Z = zeros();
    Z.mma(A, B, { wait: 0 }).store(d);
    Z.mma(A, B, { wait: 0 }).store(d);
  });
  expect(() => twice.compile(spec)).toThrow(expect.objectContaining({ code: "W6003" }));
});

it("an accumulator from before a loop is not updated in every iteration", () => {
  const repeated = kernel(options, function repeated(d: Tensor<"f32", 2>, n: i32) {
    const { A, B } = operands();
    const Z = zeros();
    for (const _ of range(n)) {
      const D = Z.mma(A, B);
      wgmma.wait(0);
      D.store(d);
    }
  });
  expect(() => repeated.compile(spec, 3)).toThrow(expect.objectContaining({ code: "W6004" }));
});
