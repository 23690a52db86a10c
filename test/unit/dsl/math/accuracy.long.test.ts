import { afterAll, describe, expect, it } from "vitest";
import { callMath, erf, erfc } from "../../../../src/dsl/math/index.ts";
import { singleBounds } from "./bounds.ts";
import { compiled } from "./evaluate.ts";
import { f32OfBits, nextF32, randomBits, specials, ulpOf } from "./numbers.ts";

type Unary = (x: number) => number;
const staged =
  (f: (...args: never[]) => number) =>
  (...args: never[]) =>
    callMath(f as never, args);
const measured: string[] = [];
afterAll(() => process.stdout.write(`worst error in ulp\n${measured.join("\n")}\n`));

/** How far the result is from the exact one in ulp; `exact` in f64. Where JavaScript says NaN, Infinity or zero, so must it. */
function error(got: number, exact: number, type: "f32" | "f64"): number {
  const nearest = type === "f32" ? Math.fround(exact) : exact;
  if (Object.is(got, nearest)) return Number.isFinite(nearest) ? Math.abs(got - exact) / ulpOf(exact, type) : 0;
  if (!Number.isFinite(nearest) || !Number.isFinite(got)) {
    const huge = Math.abs(exact) > 3.4028234e38 && Math.abs(got) > 3.4028234e38 && Math.sign(got) === Math.sign(exact);
    return type === "f32" && huge && Math.abs(exact) < 3.4028237e38 ? 0.5 : Number.POSITIVE_INFINITY;
  }
  if (got === 0 && (exact === 0 || Math.sign(exact) !== (Object.is(got, -0) ? -1 : 1))) return Number.POSITIVE_INFINITY;
  return Math.abs(got - exact) / ulpOf(exact, type);
}

function worst(
  name: string,
  f: Unary,
  type: "f32" | "f64",
  samples: Iterable<number>,
  onDevice: (...args: never[]) => unknown = staged(f),
): number {
  const { call, ops } = compiled([type], onDevice);
  let most = 0;
  let at = 0;
  for (const x of samples) {
    const e = error(Number(call(x)), f(x), type);
    if (e > most) [most, at] = [e, x];
  }
  measured.push(`${name.padEnd(12)} ${type} ${most.toFixed(5)} at ${at} (${ops} ops)`);
  return most;
}

function* anywhere(count: number): Generator<number> {
  yield* specials;
  const bits = randomBits(1);
  for (let i = 0; i < count; i++) yield f32OfBits(bits());
}

function* within(least: number, greatest: number, count: number, round = Math.fround): Generator<number> {
  const bits = randomBits(2);
  for (let i = 0; i < count; i++) yield round(least + (greatest - least) * (bits() / 2 ** 32 + bits() / 2 ** 64));
}

/** Where each function is neither 0, 1, Infinity nor NaN. */
const ranges: Record<string, readonly [number, number]> = {
  exp: [-104, 89],
  expm1: [-20, 89],
  log: [0, 4],
  log1p: [-1, 2],
  log2: [0, 4],
  log10: [0, 4],
  cbrt: [-10, 10],
  sin: [-20, 20],
  cos: [-20, 20],
  tan: [-20, 20],
  asin: [-1, 1],
  acos: [-1, 1],
  atan: [-10, 10],
  sinh: [-90, 90],
  cosh: [-90, 90],
  tanh: [-10, 10],
  asinh: [-10, 10],
  acosh: [1, 10],
  atanh: [-1, 1],
};

describe("f32 functions against JavaScript's", () => {
  for (const [name, [least, greatest]] of Object.entries(ranges)) {
    it(`Math.${name} is within ${singleBounds[name]} ulp`, () => {
      const f = Math[name as "exp"];
      const samples = function* (): Generator<number> {
        yield* anywhere(60_000);
        yield* within(least, greatest, 60_000);
        yield* within(-0.01, 0.01, 5_000);
      };
      expect(worst(name, f, "f32", samples())).toBeLessThanOrEqual(singleBounds[name] ?? 0);
    });
  }

  it.each([
    ["erf", erf, -4.2, 4.2],
    ["erfc", erfc, -4.2, 10.3],
    ["2 **", (x: number) => 2 ** x, -150, 129],
  ] as const)("%s", (name, f, least, greatest) => {
    const samples = [...anywhere(60_000), ...within(least, greatest, 60_000), ...within(-0.01, 0.01, 5_000)];
    const onDevice = name === "2 **" ? (x: never) => callMath(Math.pow as never, [2, x]) : (f as (...args: never[]) => unknown);
    expect(worst(name, f, "f32", samples, onDevice)).toBeLessThanOrEqual(singleBounds[name] ?? 2);
  });

  it("Math.sin, cos and tan near multiples of π/2, also of huge angles", () => {
    const near: number[] = [];
    for (let k = 1; k < 20_000; k++) for (const step of [-1, 0, 1]) near.push(nextF32(Math.fround((k * Math.PI) / 2), step));
    // The f32 nearest to a multiple of π/2, in units of itself, and others known to be hard (Muller, Elementary Functions).
    near.push(
      16367173 * 2 ** 72,
      8392849 * 2 ** 13,
      12186023 * 2 ** 52,
      5.3e37,
      1e22,
      3.4028234663852886e38,
      2 ** 39,
      nextF32(2 ** 39, -1),
    );
    for (const f of [Math.sin, Math.cos, Math.tan]) {
      const all = [...near, ...near.map((x) => -x)].map(Math.fround);
      const bound = singleBounds[f.name] ?? 0;
      expect(worst(`${f.name} near`, f, "f32", all)).toBeLessThanOrEqual(bound);
      expect(worst(`${f.name} huge`, f, "f32", within(2 ** 16, 2 ** 45, 20_000))).toBeLessThanOrEqual(bound);
      expect(worst(`${f.name} huger`, f, "f32", within(2 ** 45, 2 ** 127, 20_000))).toBeLessThanOrEqual(bound);
    }
  });
});

const wideBounds: Record<string, number> = {
  exp: 1,
  expm1: 2,
  log: 1,
  log1p: 3,
  log2: 2,
  log10: 2,
  tanh: 3,
  asin: 3,
  acos: 3,
  atan: 2,
};

describe("f64 functions against JavaScript's", () => {
  for (const [name, bound] of Object.entries(wideBounds)) {
    it(`Math.${name} is within ${bound} ulp`, () => {
      const [least, greatest] = ranges[name] ?? [-1, 1];
      const samples = function* (): Generator<number> {
        yield* specials;
        yield* within(least, greatest, 40_000, (x) => x);
        yield* within(-0.01, 0.01, 5_000, (x) => x);
        if (name === "exp" || name === "expm1") yield* within(-708, 709, 20_000, (x) => x);
        if (name === "log1p") yield* within(-0.5, -0.2, 20_000, (x) => x);
        if (name.startsWith("log")) yield* [2 ** -1074, 2 ** -1060 * 3, 1e300, 1e-300];
      };
      // The reference is itself rounded, and within 1 ulp.
      expect(worst(name, Math[name as "exp"], "f64", samples())).toBeLessThanOrEqual(bound);
    });
  }
});

describe("functions of two arguments", () => {
  const pairs: [number, number][] = [];
  for (const x of specials) for (const y of specials) pairs.push([x, y]);
  const bits = randomBits(3);
  for (let i = 0; i < 60_000; i++) pairs.push([f32OfBits(bits()), f32OfBits(bits())]);
  const unit = (): number => bits() / 2 ** 32;
  for (let i = 0; i < 60_000; i++) pairs.push([Math.fround(20 * unit()), Math.fround(60 * unit() - 30)]);
  for (let i = 0; i < 20_000; i++) pairs.push([Math.fround(1 + (unit() - 0.5) * 1e-4), Math.fround((unit() - 0.5) * 1e6)]);
  for (let i = 0; i < 5_000; i++) pairs.push([Math.fround(-20 * unit()), Math.round(40 * unit() - 20)]);
  for (const f of [Math.pow, Math.atan2, Math.hypot]) {
    it(`Math.${f.name} is within ${singleBounds[f.name]} ulp, special values included`, () => {
      const { call, ops } = compiled(["f32", "f32"], staged(f));
      let [most, at]: [number, unknown] = [0, undefined];
      for (const [x, y] of pairs) {
        const e = error(Number(call(x, y)), f(x, y), "f32");
        if (e > most) [most, at] = [e, [x, y]];
      }
      measured.push(`${f.name.padEnd(12)} f32 ${most.toFixed(5)} at ${String(at)} (${ops} ops)`);
      expect(most).toBeLessThanOrEqual(singleBounds[f.name] ?? 0);
    });
  }
  it("Math.atan2 and Math.hypot on f64", () => {
    for (const [f, bound] of [
      [Math.atan2, 3],
      [Math.hypot, 3],
    ] as const) {
      const { call } = compiled(["f64", "f64"], staged(f));
      let most = 0;
      for (const [x, y] of pairs) most = Math.max(most, error(Number(call(x, y)), f(x, y), "f64"));
      measured.push(`${f.name.padEnd(12)} f64 ${most.toFixed(5)}`);
      expect(most).toBeLessThanOrEqual(bound);
    }
    const { call } = compiled(["f64", "f64"], staged(Math.hypot));
    expect(error(Number(call(1e300, 1e300)), Math.hypot(1e300, 1e300), "f64")).toBeLessThanOrEqual(2);
  });
});
