import { expect, it } from "vitest";
import { i8, i16, kernel, type Tensor, tensorSpec, threadIdx, u8, u16 } from "warpsmith";

it("a computed value goes to memory of 8 and 16 bits through a conversion", () => {
  const k = kernel(
    { block: 32, grid: 1 },
    function narrow(x: Tensor<"i32", 1>, a: Tensor<"i8", 1>, b: Tensor<"u8", 1>, c: Tensor<"i16", 1>, d: Tensor<"u16", 1>) {
      const v = x[threadIdx.x]!;
      a[threadIdx.x] = i8(v);
      b[threadIdx.x] = u8(v + 1);
      c[threadIdx.x] = i16(v * 2);
      d[threadIdx.x] = u16(3);
    },
  );
  const spec = <D extends "i8" | "u8" | "i16" | "u16">(dtype: D) => tensorSpec(dtype, [32]);
  const { ptx } = k.compile(tensorSpec("i32", [32]), spec("i8"), spec("u8"), spec("i16"), spec("u16"));
  expect(ptx.match(/st\.global\.[bsu](8|16)/g)?.length).toBe(4);
});
