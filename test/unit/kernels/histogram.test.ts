import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { histogram } from "warpsmith/kernels";
import { some } from "../../support/amount.ts";

const gpu = await openDevice("emulator", { check: "strict" });
afterAll(() => gpu.dispose());

const key = (i: number, below: number): number => (Math.imul(i ^ (i >>> 3), 0x9e3779b1) >>> 8) % below;

describe("histogram", () => {
  const cases = [
    ["i32", [5000], 7, 0],
    ["u8", [2, 77], 100, 3],
    ["i32", [3, 1001], 1000, 0],
    ["i32", [999], 30_000, 0],
    ["u8", [20_001], 256, 0],
    ["i32", [4097], 5000, 1],
    ["i32", [1], 1, 0],
  ] as const;
  it.each(some(cases, 1))("of %s %j in %i bins, beginning at %i", async (dtype, shape, bins, begin) => {
    const count = shape.reduce((a: number, b) => a * b, 1);
    const most = dtype === "u8" ? 256 : bins + 2;
    const numbers = Array.from({ length: count }, (_, i) => key(i, most) - (dtype === "i32" ? 1 : 0));
    const x = gpu.zeros(dtype, [begin + count]).slice([begin, begin + count]);
    x.write((dtype === "u8" ? Uint8Array : Int32Array).from(numbers) as never);
    const want = new Array<number>(bins).fill(0);
    for (const number of numbers) if (number >= 0 && number < bins) want[number] = (want[number] ?? 0) + 1;
    const keys = x.reshape(...shape) as never;
    const out = gpu.tensor("i32", [bins], new Array<number>(bins).fill(-5));
    expect(histogram(keys, bins, { out })).toBe(out);
    expect([...(await out.read())]).toEqual(want);
    histogram(keys, bins, { out, overlapPrevious: true });
    expect([...(await out.read())]).toEqual(want);
  });

  it.each([
    [256, 1],
    [3000, 0],
    [30_000, 0],
  ])("keys of any size that have none of %i bins", async (bins, begin) => {
    const far = [2 ** 31 - 1, 2 ** 31 - bins, -(2 ** 31), -1, bins];
    const numbers = Array.from({ length: 1024 }, (_, i) => (i % 32 === 28 ? (far[(i >> 5) % far.length] ?? 0) : i % 7));
    const keys = gpu.zeros("i32", [begin + 1024]).slice([begin, begin + 1024]);
    keys.write(Int32Array.from(numbers));
    const counts = await histogram(keys, bins).read();
    expect([...counts.slice(0, 8)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((k) => numbers.filter((n) => n === k).length));
    expect(counts.reduce((a, b) => a + b, 0)).toBe(1024 - 32);
  });

  it("refuses what it does not count", () => {
    const code = (expected: string) => expect.objectContaining({ code: expected });
    const keys = gpu.zeros("i32", [16]);
    for (const bins of [0, 1.5, -1]) expect(() => histogram(keys, bins)).toThrow(code("W7616"));
    expect(() => histogram(gpu.zeros("f32", [4]) as never, 4)).toThrow(code("W7616"));
    expect(() => histogram(keys, 4, { out: gpu.zeros("i32", [5]) })).toThrow(code("W7616"));
    expect(() => histogram(keys, 16, { out: keys })).toThrow(code("W7619"));
  });
});
