import { expect, it } from "vitest";
import { i32, kernel, type Tensor, tensorSpec, threadIdx } from "warpsmith";

const spec = tensorSpec("i32", [32]);
const options = { block: 32, grid: 1 };

it("a value of the GPU that was kept from an earlier kernel is refused", () => {
  const kept: number[] = [];
  const keeps = kernel(options, function keeps(x: Tensor<"i32", 1>) {
    if (kept.length === 0) kept.push(threadIdx.x * 2);
    x[0] = i32(kept[0] ?? 0);
  });
  expect(keeps.compile(spec).ptx).toContain(".entry");
  expect(() => keeps.compile(tensorSpec("i32", [64]))).toThrow(expect.objectContaining({ code: "W2052" }));
});

it("a kernel is not compiled inside another, and the next one compiles", () => {
  const inner = kernel(options, function inner(x: Tensor<"i32", 1>) {
    x[0] = 1;
  });
  const outer = kernel(options, function outer(x: Tensor<"i32", 1>) {
    x[0] = inner.compile(spec).ptx.length;
  });
  expect(() => outer.compile(spec)).toThrow(expect.objectContaining({ code: "W2053" }));
  expect(inner.compile(spec).ptx).toContain(".entry");
});
