import { expect, it } from "vitest";
import { helper, kernel, openDevice, staticRange, type Tensor, threadIdx } from "warpsmith";

type Step = (x: number) => number;

/** A helper that calls a helper …: none of them calls itself. */
function chainOf(length: number): Step {
  const next = (step: Step): Step => helper((x: number) => step(x) + 1);
  let chain: Step = helper((x: number) => x);
  for (let i = 1; i < length; i++) chain = next(chain);
  return chain;
}

it("a chain of 500 different helpers is no recursion", async () => {
  const deep = chainOf(500);
  const count = kernel({ block: 4, grid: 1 }, function count(x: Tensor<"f32", 1>) {
    x[threadIdx.x] = deep(x[threadIdx.x] as number);
  });
  await using gpu = await openDevice("emulator");
  const x = gpu.tensor("f32", [4], [0, 1, 2, 3]);
  count.launch({}, x);
  expect([...(await x.read())]).toEqual([499, 500, 501, 502]);
});

it("a range at trace time that memory cannot hold is refused", () => {
  expect(() => staticRange(1e12)).toThrow(/^W2030 /);
  expect([...staticRange(3)]).toEqual([0, 1, 2]);
});
