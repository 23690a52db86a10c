import { display } from "../base/diag/index.ts";
import { encodeFloat, floatFormats } from "../base/small-floats.ts";
import { fail } from "./errors/index.ts";

/** The types of numbers and booleans that a launch passes: `pred` is a boolean. fp8 is none of them. */
export type ScalarParameterType =
  | "pred"
  | "i8"
  | "u8"
  | "i16"
  | "u16"
  | "i32"
  | "u32"
  | "i64"
  | "u64"
  | "f16"
  | "bf16"
  | "f32"
  | "f64";

/** What is passed for a scalar parameter. */
export type ScalarValue = boolean | number | bigint;

/** How a scalar argument gets into a kernel: what fits, and how it is written into its parameter. */
interface ScalarParameter {
  readonly bytes: number;
  /** What fits, as the end of a sentence. */
  readonly expected: string;
  fits(value: unknown): boolean;
  /** Of a value that fits. */
  write(view: DataView, value: ScalarValue): void;
}

const integer = (bits: 8 | 16 | 32, signed: boolean): ScalarParameter => {
  const low = signed ? -(2 ** (bits - 1)) : 0;
  const high = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  const write = {
    8: (view: DataView, value: number) => view.setInt8(0, value),
    16: (view: DataView, value: number) => view.setInt16(0, value, true),
    32: (view: DataView, value: number) => view.setInt32(0, value, true),
  }[bits];
  return {
    bytes: bits / 8,
    expected: `a whole number from ${low} to ${high}`,
    fits: (v) => Number.isInteger(v) && (v as number) >= low && (v as number) <= high,
    write,
  };
};

const wide = (signed: boolean): ScalarParameter => {
  const [low, high] = signed ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  return {
    bytes: 8,
    expected: `a bigint (or a safe whole number) from ${low} to ${high}`,
    fits: (v) => (typeof v === "bigint" && v >= low && v <= high) || (Number.isSafeInteger(v) && BigInt(v as number) >= low),
    write: (view, value: bigint | number) => view.setBigInt64(0, BigInt(value), true),
  };
};

const float = (bytes: number, write: (view: DataView, value: number) => void): ScalarParameter => ({
  bytes,
  expected: "a number",
  fits: (v) => typeof v === "number",
  write,
});

const parameters: Readonly<Record<ScalarParameterType, ScalarParameter>> = {
  pred: {
    bytes: 1,
    expected: "true or false",
    fits: (v) => typeof v === "boolean",
    write: (view, value: boolean) => view.setUint8(0, value ? 1 : 0),
  },
  i8: integer(8, true),
  u8: integer(8, false),
  i16: integer(16, true),
  u16: integer(16, false),
  i32: integer(32, true),
  u32: integer(32, false),
  i64: wide(true),
  u64: wide(false),
  f16: float(2, (view, value) => view.setUint16(0, encodeFloat(floatFormats.f16, value), true)),
  bf16: float(2, (view, value) => view.setUint16(0, encodeFloat(floatFormats.bf16, value), true)),
  f32: float(4, (view, value) => view.setFloat32(0, value, true)),
  f64: float(8, (view, value) => view.setFloat64(0, value, true)),
};

/** The parameter of that type; undefined where a kernel cannot take one (fp8). */
export const scalarParameter = (type: string): ScalarParameter | undefined =>
  Object.hasOwn(parameters, type) ? parameters[type as ScalarParameterType] : undefined;

/** Refuses what does not fit the parameter. */
export function checkScalar(kernel: string, name: string, type: string, value: unknown): void {
  const parameter = scalarParameter(type);
  if (!parameter?.fits(value))
    fail("W7501", {
      kernel,
      name,
      type: type === "pred" ? "bool" : type,
      expected: parameter?.expected ?? "nothing",
      value: display(value),
    });
}
