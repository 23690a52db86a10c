import { Float16Array, f16round } from "@petamoriken/float16";
import { describe, expect, it } from "vitest";
import { assertClose, randn, referenceMatmul } from "../../../../src/tools/testing/index.ts";
import { rotating } from "../../../support/amount.ts";

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("randn", () => {
  it("repeats for a seed and differs between seeds", () => {
    expect(randn(7, 3)).toEqual(randn(7, 3));
    expect(randn(7, 3)).not.toEqual(randn(7, 4));
    expect(randn(7)).toEqual(randn(7, 0));
    expect(randn(1000, 3).subarray(0, 7)).toEqual(randn(7, 3));
    expect(randn(0).length).toBe(0);
  });

  it("is normally distributed, neighbours and seeds independent", () => {
    const n = 50_000;
    const x = randn(n, 11);
    const y = randn(n, 12);
    const mean = (f: (i: number) => number) => Array.from({ length: n }, (_, i) => f(i)).reduce((a, b) => a + b, 0) / n;
    const at = (i: number) => x[i] ?? 0;
    expect(mean(at)).toBeCloseTo(0, 1.5);
    expect(mean((i) => at(i) ** 2)).toBeCloseTo(1, 1.7);
    expect(mean((i) => at(i) ** 3)).toBeCloseTo(0, 1.3);
    expect(mean((i) => at(i) ** 4)).toBeCloseTo(3, 0.8);
    expect(mean((i) => at(i) * at((i + 1) % n))).toBeCloseTo(0, 1.7);
    expect(mean((i) => at(i) * (y[i] ?? 0))).toBeCloseTo(0, 1.7);
    expect(x.every(Number.isFinite)).toBe(true);
  });

  it("refuses a count that is none", () => {
    expect(() => randn(-1)).toThrow(code("W7901"));
    expect(() => randn(1.5)).toThrow(code("W7901"));
  });
});

describe("assertClose", () => {
  const exact = { rtol: 0, atol: 0 };
  it("passes within atol + rtol * |expected|", () => {
    assertClose([1.1, -2.2], [1, -2], { rtol: 0.1, atol: 0.001 });
    assertClose(new Float16Array([1, 2]), [1, 2], exact);
    assertClose([Number.POSITIVE_INFINITY], [Number.POSITIVE_INFINITY], exact);
    assertClose([], [], exact);
  });

  it("names the worst element, both values, the error and what is allowed", () => {
    expect(() => assertClose([1, 5, 2], [1, 4, 4], { rtol: 0, atol: 0.5 })).toThrow(
      /2 of 3 elements are not close; the worst is element 2: 2 where 4 was expected, off by 2 where 0\.5 is allowed/,
    );
    expect(() => assertClose([1.5, 101], [1, 100], { rtol: 0.001, atol: 0 })).toThrow(/the worst is element 0/);
  });

  it.each([
    [[Number.NaN], [Number.NaN]],
    [[Number.NaN], [1]],
    [[1], [Number.NaN]],
    [[Number.POSITIVE_INFINITY], [1]],
    [[1], [Number.POSITIVE_INFINITY]],
    [[Number.NEGATIVE_INFINITY], [Number.POSITIVE_INFINITY]],
  ])("never passes %j for %j", (actual, expected) => {
    expect(() => assertClose(actual, expected, { rtol: 1e9, atol: 1e9 })).toThrow(code("W7902"));
  });

  it("refuses lengths that differ and tolerances that are none", () => {
    expect(() => assertClose([1], [1, 2], exact)).toThrow(code("W7903"));
    expect(() => assertClose([1], [1], { rtol: -1, atol: 0 })).toThrow(code("W7901"));
    expect(() => assertClose([1], [1], { rtol: 0, atol: Number.NaN })).toThrow(code("W7901"));
  });
});

describe("referenceMatmul", () => {
  it("is the product of the f16 inputs, rounded to f16", () => {
    for (const [M, N, K] of [
      [3, 5, 7],
      [1, 1, 1],
      [4, 600, 9],
    ] as const) {
      const a = randn(M * K, 1);
      const b = randn(K * N, 2);
      const plain = Float64Array.from({ length: M * N }, (_, i) => {
        let sum = 0;
        for (let k = 0; k < K; k++) sum += f16round(a[Math.floor(i / N) * K + k] ?? 0) * f16round(b[k * N + (i % N)] ?? 0);
        return f16round(sum);
      });
      assertClose(referenceMatmul(a, b, { M, N, K }), plain, { rtol: 2 ** -10, atol: 0 });
    }
    expect([...referenceMatmul([1.0001, 2], [3, 0.1], { M: 1, N: 1, K: 2 })]).toEqual([f16round(1 * 3 + 2 * f16round(0.1))]);
  });

  it("rounds inputs and results to the types that are asked for", () => {
    // 1 + 2^-12 is an f32 and a tf32 and no f16; 2^-9 is lost beside 1 in bf16, 2^-20 in f16.
    const shape = { M: 1, N: 1, K: 2 } as const;
    const sum = (options: object) => referenceMatmul([1, 2 ** -12], [1, 1], { ...shape, ...options })[0];
    expect(sum({})).toBe(1);
    expect(sum({ output: "f32" })).toBe(1 + 2 ** -12);
    expect(sum({ output: "tf32" })).toBe(1);
    const input = (value: number, options: object) =>
      referenceMatmul([value, 0], [1, 1], { ...shape, output: "f64", ...options })[0];
    expect(input(1 + 2 ** -12, {})).toBe(1);
    expect(input(1 + 2 ** -12, { input: "f32" })).toBe(1 + 2 ** -12);
    expect(input(1 + 2 ** -30, { input: "f32" })).toBe(1);
    expect(input(1 + 2 ** -30, { input: "f64" })).toBe(1 + 2 ** -30);
    expect(input(1 + 2 ** -10, { input: "f16" })).toBe(1 + 2 ** -10);
    expect(input(1 + 2 ** -9, { input: "bf16" })).toBe(1);
    expect(input(70_000, {})).toBe(Number.POSITIVE_INFINITY);
    expect(input(70_000, { input: "bf16" })).toBe(70_144);
    expect(input(1.1, { input: "e4m3" })).toBe(1.125);
    expect(input(1.1, { input: "e5m2" })).toBe(1);
    expect(input(1e9, { input: "e4m3" })).toBe(448);
  });

  it("refuses types that are none of floats", () => {
    const call = (options: object) => () => referenceMatmul([1], [1], { M: 1, N: 1, K: 1, ...options });
    expect(call({ output: "i32" })).toThrow(
      /^W7901 {2}`output` of referenceMatmul\(\) is "i32", which is not one of "f64", "f32",/,
    );
    expect(call({ input: "toString" })).toThrow(code("W7901"));
  });

  it("refuses matrices of another size", () => {
    expect(() => referenceMatmul([1], [1, 2], { M: 1, N: 1, K: 2 })).toThrow(code("W7904"));
    expect(() => referenceMatmul([1, 2], [1], { M: 1, N: 1, K: 2 })).toThrow(code("W7904"));
  });

  it("is quick enough for the tutorials", rotating, () => {
    const [M, N, K] = [512, 256, 1024];
    const [a, b] = [randn(M * K, 1), randn(K * N, 2)];
    const start = process.cpuUsage();
    referenceMatmul(a, b, { M, N, K });
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});
