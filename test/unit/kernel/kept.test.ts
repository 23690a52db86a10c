import { describe, expect, it } from "vitest";
import { kernel, openDevice, type Static, type Tensor } from "warpsmith";
import { RecentlyUsed } from "../../../src/recently-used.ts";
import { collectUntil } from "../../support/collect-garbage.ts";
import { openFake } from "../cuda/open-fake.ts";

it("what was used last is kept, as much as there is room for", () => {
  const map = new RecentlyUsed<string, { readonly n: number }>(2);
  const values = [0, 1, 2, 3].map((n) => ({ n }));
  const put = (key: string, n: number) => map.set(key, values[n] ?? { n });
  put("a", 0);
  put("b", 1);
  expect(map.get("a")).toBe(values[0]);
  put("c", 2);
  expect(["a", "b", "c"].map((key) => map.get(key)?.n)).toEqual([0, undefined, 2]);
  put("a", 3);
  put("d", 0);
  expect(["a", "c", "d"].map((key) => map.get(key)?.n)).toEqual([3, undefined, 0]);
});

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
