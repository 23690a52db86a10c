import { expect, it } from "vitest";
import { floatTable } from "../../../../../src/emulator/machine/units/floats.ts";
import { multiplyAdd } from "../../../../../src/emulator/machine/units/warp-product.ts";
import { createPrng } from "../../../../../src/tools/testing/randn.ts";

const { fround } = Math;
const halves = floatTable("f16");
const next = createPrng(7);

/** Any bits, of f16 and of tf32: subnormal, infinite and no numbers among them. */
const sources = {
  f16: () => halves[Math.floor(next() * 65536)] ?? 0,
  tf32: () => new Float32Array(Uint32Array.of((next() * 2 ** 32) & 0xffffe000).buffer)[0] ?? 0,
};

it.each([
  { m: 16, n: 8, k: 16, aType: "f16" },
  { m: 16, n: 8, k: 8, aType: "tf32" },
  { m: 8, n: 8, k: 4, aType: "f16" },
  { m: 32, n: 8, k: 16, aType: "f16" },
  { m: 8, n: 32, k: 16, aType: "f16" },
] as const)("$aType, $m x $n x $k: products in f32 from k = 0 on, then the accumulator", ({ aType, ...shape }) => {
  const { m, n, k } = shape;
  for (let round = 0; round < 20; round++) {
    // Every other time small whole numbers, so that not all sums are infinite.
    const source = round % 2 === 0 ? sources[aType] : () => Math.round(8 * next()) / 3;
    const [a, b, c] = [m * k, n * k, m * n].map((count) => Float64Array.from({ length: count }, () => fround(source())));
    const expected = c!.map((start, at) => {
      let sum = 0;
      for (let x = 0; x < k; x++) sum = fround(sum + fround(a![Math.floor(at / n) * k + x]! * b![(at % n) * k + x]!));
      return start + sum;
    });
    multiplyAdd(shape, { aType, dType: "f32", satfinite: false }, a!, b!, c!);
    expect(c).toEqual(expected);
  }
});
