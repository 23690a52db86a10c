import { describe, expect, it } from "vitest";
import { kernel, openDevice, type Static, type Tensor } from "warpsmith";
import { rotating } from "../../support/amount.ts";

describe("the compiled kernels of a kernel", () => {
  const most = 256;
  const makeStore = () =>
    kernel({ block: 1, grid: 1 }, function store(x: Tensor<"i32", 1>, value: Static<number>) {
      x[0] = value;
    });

  it("compute the same when they are made again", rotating, async () => {
    await using device = await openDevice("emulator");
    const [store, x] = [makeStore(), device.zeros("i32", [1])];
    for (let value = 0; value <= most + 1; value++) store.compile(x, value);
    for (const value of [0, most + 1, 1]) {
      store.launch({}, x, value);
      expect([...(await x.read())]).toEqual([value]);
    }
  });
});
