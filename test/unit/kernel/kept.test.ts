import { describe, expect, it } from "vitest";
import { kernel, openDevice, type Static, type Tensor } from "warpsmith";
import { collectUntil } from "../../support/collect-garbage.ts";
import { openFake } from "../cuda/open-fake.ts";

describe("the compiled kernels of a kernel", () => {
  const most = 256;
  const makeStore = () =>
    kernel({ block: 1, grid: 1 }, function store(x: Tensor<"i32", 1>, value: Static<number>) {
      x[0] = value;
    });

  it("are so many on a device, whatever number of them is launched", async () => {
    const { device, fake } = await openFake({ kernels: { store: { parameterBytes: [8] } } });
    const [store, x] = [makeStore(), device.zeros("i32", [1])];
    for (let value = 0; value <= most; value++) store.launch({}, x, value);
    await device.sync();
    const loads = () => fake.countOf("cuModuleLoadDataEx");
    expect(loads()).toBe(most + 1);
    store.launch({}, x, 1);
    expect(loads()).toBe(most + 1);
    await collectUntil(() => fake.countOf("cuModuleUnload") === 1);
    store.launch({}, x, 0);
    expect(loads()).toBe(most + 2);
    await device.dispose();
    expect(fake.countOf("cuModuleUnload")).toBe(most + 2);
  });

  it("leave the device with their kernel and its arguments", async () => {
    const { device, fake } = await openFake({ kernels: { store: { parameterBytes: [8] } } });
    const x = device.zeros("i32", [1]);
    const use = (): void => makeStore().launch({}, x, 7);
    use();
    await device.sync();
    await collectUntil(() => fake.countOf("cuModuleUnload") === 1);
    await device.dispose();
  });

  it("compute the same when they are made again", async () => {
    await using device = await openDevice("emulator");
    const [store, x] = [makeStore(), device.zeros("i32", [1])];
    for (let value = 0; value <= most + 1; value++) store.compile(x, value);
    for (const value of [0, most + 1, 1]) {
      store.launch({}, x, value);
      expect([...(await x.read())]).toEqual([value]);
    }
  });
});
