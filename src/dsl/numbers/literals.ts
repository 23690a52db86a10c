import { f16round } from "@petamoriken/float16";
import { isFloat, type Literal, type ScalarType } from "../../ir/index.ts";

const integerRange: Readonly<Partial<Record<ScalarType, readonly [bigint, bigint]>>> = {
  i8: [-128n, 127n],
  u8: [0n, 255n],
  i16: [-32768n, 32767n],
  u16: [0n, 65535n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  u64: [0n, 2n ** 64n - 1n],
};

const is64 = (type: ScalarType): boolean => type === "i64" || type === "u64";

/** Rounds to the nearest bf16, ties to even. */
export function bf16round(x: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, x);
  const bits = view.getUint32(0);
  if (Number.isNaN(x) || !Number.isFinite(Math.fround(x))) return Math.fround(x);
  const exact = Math.fround(x);
  let kept = (bits & 0xffff0000) >>> 0;
  const dropped = bits & 0xffff;
  // f32 itself is a rounding of x: a tie of the f32 is a real tie only where the f32 is exact.
  const above =
    dropped > 0x8000 || (dropped === 0x8000 && (exact === x ? (bits & 0x10000) !== 0 : Math.abs(x) > Math.abs(exact)));
  if (above) kept = (kept + 0x10000) >>> 0;
  view.setUint32(0, kept);
  return view.getFloat32(0);
}

/** Rounds to the nearest value of a float type; fp8 saturates. */
export function roundTo(type: ScalarType, x: number): number {
  if (type === "f32") return Math.fround(x);
  if (type === "f16") return f16round(x);
  if (type === "bf16") return bf16round(x);
  if (type === "e4m3") return roundSmall(x, 3, -6, 448);
  if (type === "e5m2") return roundSmall(x, 2, -14, 57344);
  return x;
}

function roundSmall(x: number, mantissa: number, leastExponent: number, largest: number): number {
  if (!Number.isFinite(x) || x === 0) return Number.isNaN(x) ? x : Math.sign(x) * Math.min(Math.abs(x), largest) || x;
  const exponent = Math.max(leastExponent, Math.floor(Math.log2(Math.abs(x))));
  const unit = 2 ** (exponent - mantissa);
  const scaled = Math.abs(x) / unit;
  const down = Math.floor(scaled);
  const rest = scaled - down;
  const steps = rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
  return Math.sign(x) * Math.min(steps * unit, largest);
}

/** The literal as a constant of that type, or undefined where the type cannot say it. Floats round; a finite number must stay finite. */
export function representable(value: Literal, type: ScalarType): Literal | undefined {
  if (type === "pred") return typeof value === "boolean" ? value : undefined;
  if (typeof value === "boolean") return undefined;
  if (isFloat(type)) {
    if (typeof value === "bigint") return undefined;
    const rounded = roundTo(type, value);
    return Number.isFinite(value) &&
      (!Number.isFinite(rounded) || (type[0] === "e" && Math.abs(rounded) < Math.abs(value) / 1.2 && rounded !== 0))
      ? undefined
      : rounded;
  }
  if (is64(type) !== (typeof value === "bigint")) return undefined;
  if (typeof value === "number" && !Number.isInteger(value)) return undefined;
  const range = integerRange[type];
  const whole = BigInt(value);
  if (!range || whole < range[0] || whole > range[1]) return undefined;
  return typeof value === "number" ? value + 0 : value;
}
