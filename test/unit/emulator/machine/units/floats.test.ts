import { describe, expect, it } from "vitest";
import { decodeFloat, encodeFloat, floatFormats } from "../../../../../src/base/small-floats.ts";
import { decodeBf16, encodeBf16, encodeF16, floatTable, roundToTf32 } from "../../../../../src/emulator/machine/units/floats.ts";
import { seedOf } from "../../../../fuzz/random.ts";
import { seeds, some } from "../../../../support/amount.ts";

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);
/** Any f32 but NaN, and those next to ties of narrower types. */
const samples = seeds(0, 100_000, 5000)
  .map((i) => {
    const any = seedOf(i, "f32");
    word[0] = i % 3 === 0 ? any : (any & 0x8ffff000) | (((0x38 + (any % 16)) << 24) & 0x7f000000) | (i % 3);
    return single[0]!;
  })
  .filter((x) => !Number.isNaN(x));

describe("narrow floats", () => {
  it.each(["f16", "e4m3", "e5m2"] as const)("%s has the values of its format", (type) => {
    for (const [bits, value] of some([...floatTable(type).entries()], 4096))
      if (!Object.is(value, decodeFloat(floatFormats[type], bits)))
        expect({ bits, value }).toBe(decodeFloat(floatFormats[type], bits));
  });

  it("are rounded to nearest even", () => {
    for (const x of [
      ...samples,
      65519,
      65520,
      -65536,
      2 ** -25,
      3 * 2 ** -26,
      2 ** -24 * 1.5,
      2 ** -14,
      0,
      Infinity,
      -Infinity,
    ]) {
      const own = [encodeF16(x), encodeBf16(x)];
      const other = [encodeFloat(floatFormats.f16, x), encodeFloat(floatFormats.bf16, x)];
      if (own[0] !== other[0] || own[1] !== other[1]) expect({ x, own }).toEqual({ x, own: other });
      single[0] = x;
      const tf32 = roundToTf32(word[0]!) >>> 0;
      if (Number.isFinite(x) && tf32 !== encodeFloat(floatFormats.tf32, x) * 8192) expect({ x, tf32 }).toBe(undefined);
    }
    expect([encodeF16(Number.NaN), encodeBf16(Number.NaN)]).toEqual([0x7fff, 0x7fff]);
    expect(decodeBf16(0xc040)).toBe(-3);
  });
});
