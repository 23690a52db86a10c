import { overTiles } from "../numbers/elementwise.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { own } from "../trace/staged.ts";
import { checkStatic, floats, fused } from "./values.ts";

/** A finite number as m · 2^e with a whole m. */
function parts(x: number): readonly [bigint, number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 2047n);
  const fraction = bits & (2n ** 52n - 1n);
  const size = exponent === 0 ? fraction : fraction | (1n << 52n);
  return [x < 0 ? -size : size, Math.max(exponent, 1) - 1075];
}

/** m · 2^e, rounded once to nearest even. */
function nearest(m: bigint, e: number): number {
  const size = m < 0n ? -m : m;
  // The last bit that a double near this number has: a sticky one below keeps the rounding of Number(…) right.
  const drop = Math.max(size.toString(2).length - 53, -1074 - e, 0);
  const kept = size >> BigInt(drop);
  const rest = size - (kept << BigInt(drop));
  const half = drop === 0 ? 1n : 1n << BigInt(drop - 1);
  const up = drop > 0 && (rest > half || (rest === half && (kept & 1n) === 1n));
  const rounded = Number(up ? kept + 1n : kept);
  const scale = e + drop;
  const value =
    scale < -1000
      ? rounded * 2 ** -900 * 2 ** (scale + 900)
      : scale > 900
        ? rounded * 2 ** 900 * 2 ** (scale - 900)
        : rounded * 2 ** scale;
  return m < 0n ? -value : value;
}

/** a * b + c of doubles in one rounding. */
export function fusedStatic(a: number, b: number, c: number): number {
  const product = a * b;
  // A finite product may overflow on its own: it does not meet an infinite c as an infinity.
  if (Number.isFinite(a) && Number.isFinite(b) && !Number.isFinite(c)) return c;
  if (!Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c) || a === 0 || b === 0) return product + c;
  const [ma, ea] = parts(a);
  const [mb, eb] = parts(b);
  const [mc, ec] = parts(c);
  const e = Math.min(ea + eb, ec);
  const sum = ((ma * mb) << BigInt(ea + eb - e)) + (mc << BigInt(ec - e));
  return sum === 0n ? (c === 0 ? product + c : 0) : nearest(sum, e);
}

/**
 * a * b + c in one rounding, in the widest float type among the three; static numbers alone in f64. PTX ISA 9.7.3.6.
 * Errors: W2701 for integers, where `a * b + c` is exact anyway.
 */
export const fma = own(
  overTiles("fma", (a: number, b: number, c: number): number => {
    if (![a, b, c].some(isStagedScalar)) {
      checkStatic([a, b, c], "fma");
      return fusedStatic(a, b, c);
    }
    const [x, y, z] = floats([a, b, c], "fma");
    if (!x || !y || !z) throw new Error("fma without operands");
    return scalar(fused(x, y, z));
  }),
);
