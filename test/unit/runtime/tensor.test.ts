import { describe, expect, it } from "vitest";
import type { DType } from "../../../src/base/types.ts";
import { addressOf, type DeviceTensor } from "../../../src/runtime/index.ts";
import { rotating } from "../../support/amount.ts";
import { openFake } from "../cuda/open-fake.ts";

const numbers: Partial<Record<DType, readonly number[]>> = {
  f64: [0.1, -2.5, 1e300, Number.NaN],
  f32: [0.5, -2.5, Math.fround(0.1), Number.POSITIVE_INFINITY],
  tf32: [0.5, -2.5, 1 + 2 ** -10, 3],
  f16: [0.5, -2.5, 65504, 2 ** -24],
  bf16: [0.5, -2.5, 1 + 2 ** -7, 2 ** 127],
  e4m3: [0.5, -2.5, 448, 2 ** -9],
  e5m2: [0.5, -2.5, 57344, 2 ** -16],
  i32: [0, -1, 2 ** 31 - 1, -(2 ** 31)],
  u32: [0, 1, 2 ** 32 - 1, 7],
  i16: [0, -1, 32767, -32768],
  u16: [0, 1, 65535, 7],
  i8: [0, -1, 127, -128],
  u8: [0, 1, 255, 7],
};

describe("tensors", () => {
  it.each(Object.entries(numbers))("%s goes to the device and back", async (dtype, values) => {
    const { device } = await openFake();
    const tensor = device.tensor(dtype as "f32", [2, 2], values);
    const read = await tensor.read();
    expect([...read]).toEqual(values);
    expect(read.length).toBe(4);
  });

  it("carries 64-bit integers as bigint and bool as bytes", async () => {
    const { device } = await openFake();
    expect([...(await device.tensor("i64", [2], [-(2n ** 63n), 2n ** 63n - 1n]).read())]).toEqual([-(2n ** 63n), 2n ** 63n - 1n]);
    expect([...(await device.tensor("u64", [2], new BigUint64Array([0n, 2n ** 64n - 1n])).read())]).toEqual([0n, 2n ** 64n - 1n]);
    expect([...(await device.tensor("bool", [3], [true, false, true]).read())]).toEqual([1, 0, 1]);
  });

  it.each([
    ["f32", 3.4028235677973362e38, 3.4028235677973366e38],
    ["tf32", 3.4015e38, 3.4021e38],
    ["bf16", 3.396e38, 3.3962e38],
    ["f16", 65519.99, 65520],
  ] as const)(
    "%s holds what is nearest to one of its numbers, and refuses what is beyond: %d, %d",
    async (dtype, within, beyond) => {
      const { device } = await openFake();
      const [read] = await device.tensor(dtype, [2], [within, -within]).read();
      expect(Math.abs(Number(read) / within - 1)).toBeLessThan(0.07);
      for (const value of [beyond, -beyond])
        expect(() => device.tensor(dtype, [2], [0, value])).toThrowError(
          /^W7005 {2}Element 1 of the data is .*, or an infinity, as/,
        );
    },
  );
  it("rounds on the way in", async () => {
    const { device } = await openFake();
    expect([...(await device.tensor("f16", [3], [1 / 3, 65519, -Infinity]).read())]).toEqual([0.333251953125, 65504, -Infinity]);
    expect([...(await device.tensor("bf16", [1], [1 / 3]).read())]).toEqual([0.333984375]);
    expect([...(await device.tensor("e4m3", [2], [1 / 3, 1e9]).read())]).toEqual([0.34375, 448]);
    expect([...(await device.tensor("tf32", [1], [1 + 2 ** -11 + 2 ** -12]).read())]).toEqual([1 + 2 ** -10]);
  });

  it("gives what it read back again: an f16 array of the host", async () => {
    const { device } = await openFake();
    const first = await device.tensor("f16", [3], [1, 2, 3]).read();
    expect([...(await device.tensor("f16", [3], first).read())]).toEqual([1, 2, 3]);
  });

  it("tells other libraries where elements lie and which stream work is in", async () => {
    const { device } = await openFake();
    const t = device.zeros("f16", [4, 8]);
    expect(t.slice([1, 3], [2, 8]).address()).toBe(t.address() + 20n);
    using stream = device.stream();
    expect(stream.native).toBeTypeOf("bigint");
    t.dispose();
    expect(() => t.address()).toThrow("W7006");
  });

  it("views are the same memory with strides", async () => {
    const { device } = await openFake();
    const t = device.tensor("i32", [2, 3], [1, 2, 3, 4, 5, 6]);
    const flipped = t.transpose();
    expect([flipped.shape, flipped.strides]).toEqual([
      [3, 2],
      [1, 3],
    ]);
    expect([...(await flipped.read())]).toEqual([1, 4, 2, 5, 3, 6]);
    const middle = t.slice(undefined, [1, 3]);
    expect([...(await middle.read())]).toEqual([2, 3, 5, 6]);
    middle.write([20, 30, 50, 60]);
    expect([...(await t.read())]).toEqual([1, 20, 30, 4, 50, 60]);
    flipped.slice([0, 1]).fill(9);
    expect([...(await t.reshape(6).read())]).toEqual([9, 20, 30, 9, 50, 60]);
    flipped.write([1, 2, 3, 4, 5, 6]);
    expect([...(await t.read())]).toEqual([1, 3, 5, 2, 4, 6]);
    expect([...(await t.reshape(3, 2).transpose(1, 0).slice([1, 2]).read())]).toEqual([3, 2, 6]);
  });

  it("writes a transposed tensor in one copy, a slice row by row", async () => {
    const { device, fake } = await openFake();
    const t = device.empty("f32", [4, 8]);
    t.transpose().write(new Float32Array(32));
    expect(fake.countOf("cuMemcpyHtoDAsync_v2")).toBe(1);
    t.slice(undefined, [0, 2]).write(new Float32Array(8));
    expect(fake.countOf("cuMemcpyHtoDAsync_v2")).toBe(5);
  });

  it("counts beyond 2^32 bytes, and refuses to read what no array holds", async () => {
    const { device } = await openFake({ memoryBytes: 2 ** 36 });
    using tensor = device.empty("u8", [5 * 2 ** 10, 2 ** 20]);
    const last = tensor.slice([5 * 2 ** 10 - 1, 5 * 2 ** 10], [2 ** 20 - 4, 2 ** 20]);
    expect(addressOf(last) - addressOf(tensor)).toBe(BigInt(5 * 2 ** 30 - 4));
    expect(tensor.reshape(5 * 2 ** 30).strides).toEqual([1]);
    expect(tensor.transpose().slice([3, 4]).strides).toEqual([1, 2 ** 20]);
    await expect(tensor.read()).rejects.toMatchObject({ code: "W7055", message: expect.stringContaining("5368709120 bytes") });
    await expect(tensor.slice(undefined, [0, 1]).read()).rejects.toMatchObject({ code: "W7055" });
    expect(() => device.empty("u8", [2 ** 40, 2 ** 20])).toThrow(expect.objectContaining({ code: "W7056" }));
  });

  it("fills with a pattern of 8 bytes piece by piece", rotating, async () => {
    const { device } = await openFake();
    const count = 2 ** 23 + 5;
    using tensor = device.empty("f64", [count]);
    tensor.fill(0.1);
    for (const at of [0, 2 ** 23 - 1, 2 ** 23, count - 1]) expect([...(await tensor.slice([at, at + 1]).read())]).toEqual([0.1]);
  });

  it("fills and zeroes", async () => {
    const { device } = await openFake();
    expect([...(await device.zeros("f16", [3]).read())]).toEqual([0, 0, 0]);
    for (const [dtype, value] of [
      ["f64", 0.1],
      ["f32", -1.5],
      ["f16", 2.5],
      ["i32", -2],
      ["u8", 200],
    ] as const) {
      const t = device.empty(dtype, [3]);
      t.fill(value);
      expect([...(await t.read())]).toEqual([value, value, value]);
    }
    const wide = device.empty("i64", [2]);
    wide.fill(-5n);
    expect([...(await wide.read())]).toEqual([-5n, -5n]);
  });

  it("takes a copy of what it writes", async () => {
    const { device, fake, stream } = await openFake();
    const t = device.empty("f32", [2]);
    fake.hold(stream);
    const data = new Float32Array([1, 2]);
    t.write(data);
    data.fill(99);
    t.write([3, 4]);
    const early = t.read();
    t.write([5, 6]);
    fake.letGo(stream);
    expect([...(await early)]).toEqual([3, 4]);
  });

  it("takes other shapes of views with gaps where their elements lie at regular distances", async () => {
    const { device } = await openFake();
    const data = Float32Array.from({ length: 60 }, (_, i) => i);
    const part = device.tensor("f32", [2, 3, 10], data).slice(undefined, undefined, [4, 8]);
    const rows = part.reshape(6, 4);
    expect([rows.strides, [...(await rows.read())]]).toEqual([[10, 1], [...(await part.read())]]);
    expect(part.reshape(2, 3, 2, 1, 2).strides).toEqual([30, 10, 2, 2, 1]);
    expect(part.transpose(2, 0, 1).reshape(4, 6).strides).toEqual([1, 10]);
    for (const shape of [[24], [3, 8], [2, 12]])
      expect(() => part.reshape(...shape)).toThrow(expect.objectContaining({ code: "W7010" }));
  });

  it.each<[string, string, (t: Awaited<ReturnType<typeof setUp>>) => unknown]>([
    ["an unknown type", "W7002", ({ device }) => device.empty("f8" as "f32", [1])],
    ["an extent of 0", "W7003", ({ device }) => device.empty("f32", [4, 0])],
    ["no extents", "W7003", ({ device }) => device.empty("f32", [])],
    ["too little data", "W7004", ({ device }) => device.tensor("f32", [4], [1, 2, 3])],
    ["a fraction for an integer", "W7005", ({ device }) => device.tensor("i32", [2], [1, 1.5])],
    ["too large an integer", "W7005", ({ device }) => device.tensor("u8", [1], [256])],
    ["a number for a bigint", "W7005", ({ device }) => device.tensor("i64", [1], [1 as unknown as bigint])],
    ["a bigint for a number", "W7005", ({ device }) => device.tensor("f32", [1], [1n as unknown as number])],
    ["2 for a bool", "W7005", ({ device }) => device.tensor("bool", [1], [2 as unknown as boolean])],
    ["a permutation that repeats", "W7008", ({ t }) => t.transpose(0, 0)],
    ["another count", "W7009", ({ t }) => t.reshape(5)],
    ["reshaping a transposed view", "W7010", ({ t }) => t.transpose().reshape(6)],
    ["a slice out of range", "W7011", ({ t }) => t.slice([0, 3])],
    ["an empty slice", "W7011", ({ t }) => t.slice([1, 1])],
    ["a range too many", "W7011", ({ t }) => t.slice(undefined, undefined, [0, 1])],
  ])("refuses %s", async (_, code, act) => {
    const context = await setUp();
    expect(() => act(context)).toThrow(expect.objectContaining({ code }));
  });

  async function setUp() {
    const { device } = await openFake();
    return { device, t: device.empty("f32", [2, 3]) };
  }

  it("frees nothing and leaks nothing when the data is refused", async () => {
    const { device, fake } = await openFake();
    expect(() => device.tensor("u8", [1], [-1])).toThrow("whole number from 0 to 255");
    expect(fake.liveBytes).toBe(0);
  });

  it("a disposed tensor and its views say so", async () => {
    const { device, fake } = await openFake();
    const t = device.zeros("f32", [4]);
    const view = t.slice([0, 2]);
    view.dispose();
    await expect(view.read()).rejects.toMatchObject({ code: "W7006" });
    expect([...(await t.read())]).toEqual([0, 0, 0, 0]);
    const other = t.reshape(2, 2);
    t.dispose();
    t.dispose();
    expect(fake.liveBytes).toBe(0);
    expect(() => other.fill(1)).toThrow(expect.objectContaining({ code: "W7006" }));
    expect(() => t.slice([0, 1])).toThrow(expect.objectContaining({ code: "W7006" }));
  });

  it("frees with `using`, and with the device", async () => {
    const { device, fake } = await openFake();
    {
      using t = device.zeros("f32", [4]);
      expect(t.rank).toBe(1);
      expect(fake.liveBytes).toBe(16);
    }
    expect(fake.liveBytes).toBe(0);
    const kept = device.zeros("f32", [4]);
    await device.dispose();
    await device.dispose();
    expect(fake.liveBytes).toBe(0);
    expect(fake.livePinned).toBe(0);
    expect(fake.contexts).toBe(0);
    await expect(kept.read()).rejects.toMatchObject({ code: "W7007" });
    expect(() => device.empty("f32", [1])).toThrow(expect.objectContaining({ code: "W7007" }));
    kept.dispose();
  });
});

describe("types", () => {
  it("a tensor of known type and rank is a tensor", async () => {
    const { device } = await openFake();
    const known: DeviceTensor<"f32", 2> = device.zeros("f32", [1, 2]);
    const some: DeviceTensor = known;
    const shape: readonly [number, number] = known.shape;
    expect([some.rank, shape.length]).toEqual([2, 2]);
  });
});
