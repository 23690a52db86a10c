import { roundFloat } from "../../base/small-floats.ts";
import { integerRange, isFloat, type Literal, type ScalarType } from "../../ir/index.ts";

export const isStaticNumber = (x: unknown): x is number | bigint => typeof x === "number" || typeof x === "bigint";
export const isLiteral = (x: unknown): x is Literal => isStaticNumber(x) || typeof x === "boolean";

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
  const [least, most] = integerRange(type);
  const whole = BigInt(value);
  if (whole < least || whole > most) return undefined;
  return typeof value === "number" ? value + 0 : value;
}
