import { describe, expect, it } from "vitest";
import {
  autotune,
  type bf16,
  type f32,
  type i32,
  kernel,
  openDevice,
  type Static,
  type Tensor,
  TMA,
  tensorSpec,
  threadIdx,
} from "warpsmith";

const usual = { by: 3 };

const scaled = kernel({ block: 4, grid: 1 }, function scaled(x: Tensor<"f32", 1>, by: bf16 = 0.1) {
  x.at(threadIdx.x).value *= by;
});
const moved = kernel({ block: 4, grid: 1 }, function moved(x: Tensor<"i32", 1>, n: i32 = x.shape[0], by: i32 = n + usual.by) {
  x.at(threadIdx.x).value = n * 100 + Math.trunc(by / 2);
});

class Kernels {
  @kernel({ block: 4, grid: 1 })
  static filled(x: Tensor<"f32", 1>, value: f32 = 7) {
    x[threadIdx.x] = value;
  }
}

describe("a number with a default value", () => {
  it("is passed by a launch that leaves it out as if it had been given", async () => {
    await using gpu = await openDevice("emulator");
    using x = gpu.tensor("f32", [4], [1, 2, 3, 4]);
    using y = gpu.tensor("f32", [4], [1, 2, 3, 4]);
    scaled.launch({}, x);
    scaled.launch({}, y, 0.1);
    const found = [...(await x.read())];
    expect(found).toEqual([...(await y.read())]);
    // What 0.1 is in bf16.
    expect(found[0]).toBe(0.10009765625);
    const spec = tensorSpec("f32", [4]);
    expect(scaled.compile(spec).ptx).toBe(scaled.compile(spec, 5).ptx);
    expect(String(scaled.trace(spec))).toBe(String(scaled.trace(spec, 5)));
  });

  it("is found at each launch, of the arguments before it", async () => {
    await using gpu = await openDevice("emulator");
    using x = gpu.zeros("i32", [4]);
    const first = async () => (await x.read())[0];
    moved.launch({}, x);
    expect(await first()).toBe(403);
    usual.by = 9;
    moved.launch({}, x);
    expect(await first()).toBe(406);
    moved.launch({}, x, undefined, 8);
    expect(await first()).toBe(404);
    moved.launch({}, x, 2);
    expect(await first()).toBe(205);
  });

  it("may be one of a method or of a kernel that is tuned", async () => {
    await using gpu = await openDevice("emulator");
    using x = gpu.zeros("f32", [4]);
    kernel(Kernels.filled).launch({}, x);
    expect((await x.read())[3]).toBe(7);
    const tuned = autotune([4], (block) =>
      kernel({ block, grid: 1 }, function tuned(y: Tensor<"f32", 1>, value: f32 = 5) {
        y[threadIdx.x] = value;
      }),
    );
    tuned.launch({}, x);
    expect((await x.read())[3]).toBe(5);
  });

  it("does not stand for what has none", () => {
    const needs = kernel({ block: 4, grid: 1 }, function needs(x: Tensor<"f32", 1>, a: f32, by: f32 = 2) {
      x[threadIdx.x] = a * by;
    });
    expect(() => needs.compile(...([tensorSpec("f32", [4])] as never as [never, never]))).toThrow(/W7502/);
  });
});

const biased = kernel(
  { block: 4, grid: 1 },
  function biased(x: Tensor<"f32", 1>, options?: Static<{ readonly by: number }>, bias?: Tensor<"f32", 1>) {
    const i = threadIdx.x;
    if (options) x.at(i).value *= options.by;
    if (bias) x.at(i).value += bias[i]!;
  },
);

describe("what is declared with `?`", () => {
  it("may be left out, and is undefined then", async () => {
    await using gpu = await openDevice("emulator");
    using x = gpu.tensor("f32", [4], [1, 2, 3, 4]);
    using bias = gpu.tensor("f32", [4], [10, 20, 30, 40]);
    const result = async () => [...(await x.read())];
    biased.launch({}, x);
    expect(await result()).toEqual([1, 2, 3, 4]);
    biased.launch({}, x, { by: 2 });
    expect(await result()).toEqual([2, 4, 6, 8]);
    biased.launch({}, x, undefined, bias);
    expect(await result()).toEqual([12, 24, 36, 48]);
    biased.launch({}, x, { by: 3 }, bias);
    expect(await result()).toEqual([46, 92, 138, 184]);
  });

  it("is no tensor that others need", () => {
    const spec = tensorSpec("f32", [4]);
    expect(() => biased.compile(...([] as unknown as [typeof spec]))).toThrowError(/W7502/);
    const map = new TMA(spec, { box: [4] });
    expect(() => biased.compile(map as never)).toThrowError("W7503  biased takes a tensor for 'x', not a tensor map of one.");
  });
});
