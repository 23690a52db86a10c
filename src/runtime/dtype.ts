import { display } from "../base/diag/index.ts";
import { elementBytes as sizes } from "../base/tensor-map.ts";
import type { DType } from "../base/types.ts";
import { fail } from "./errors/index.ts";

interface ElementInfo {
  readonly kind: "float" | "integer" | "bigint" | "bool";
  /** Of integers, both inclusive. */
  readonly min?: bigint;
  readonly max?: bigint;
}

const integer = (bits: bigint, signed: boolean): ElementInfo => {
  const min = signed ? -(1n << (bits - 1n)) : 0n;
  return { kind: bits === 64n ? "bigint" : "integer", min, max: min + (1n << bits) - 1n };
};
const float: ElementInfo = { kind: "float" };

/** What the host may write to memory of each element type. */
export const elementInfo: Readonly<Record<DType, ElementInfo>> = {
  f64: float,
  f32: float,
  tf32: float,
  f16: float,
  bf16: float,
  e4m3: float,
  e5m2: float,
  i64: integer(64n, true),
  u64: integer(64n, false),
  i32: integer(32n, true),
  u32: integer(32n, false),
  i16: integer(16n, true),
  u16: integer(16n, false),
  i8: integer(8n, true),
  u8: integer(8n, false),
  bool: { kind: "bool" },
};

/** Bytes of one element. W7002 for a name that is no element type. */
export function elementBytes(dtype: DType): 1 | 2 | 4 | 8 {
  checkDType(dtype);
  return sizes[dtype];
}

/** Refuses what TypeScript could not: a name that is no element type (W7002). */
export function checkDType(dtype: DType): ElementInfo {
  if (typeof dtype !== "string" || !Object.hasOwn(elementInfo, dtype)) fail("W7002", { given: display(dtype) });
  return elementInfo[dtype];
}
