import { isFloat, type Literal, type ScalarType } from "../../ir/index.ts";
import { roundFloat } from "../../small-floats.ts";

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

/** Rounds to the nearest value of a float type, ties to even; fp8 saturates. */
export function roundTo(type: ScalarType, x: number): number {
  if (type === "f32") return Math.fround(x);
  return type === "f16" || type === "bf16" || type === "e4m3" || type === "e5m2" ? roundFloat(type, x) : x;
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
