import { fail } from "../diag/index.ts";
import type { DType } from "../types.ts";

interface ElementInfo {
  readonly bytes: 1 | 2 | 4 | 8;
  readonly kind: "float" | "integer" | "bigint" | "bool";
  /** Of integers, both inclusive. */
  readonly min?: bigint;
  readonly max?: bigint;
}

const integer = (bytes: 1 | 2 | 4 | 8, signed: boolean): ElementInfo => {
  const bits = BigInt(bytes * 8);
  const min = signed ? -(1n << (bits - 1n)) : 0n;
  return { bytes, kind: bytes === 8 ? "bigint" : "integer", min, max: min + (1n << bits) - 1n };
};

/** How each element type lies in memory. */
export const elementInfo: Readonly<Record<DType, ElementInfo>> = {
  f64: { bytes: 8, kind: "float" },
  f32: { bytes: 4, kind: "float" },
  tf32: { bytes: 4, kind: "float" },
  f16: { bytes: 2, kind: "float" },
  bf16: { bytes: 2, kind: "float" },
  e4m3: { bytes: 1, kind: "float" },
  e5m2: { bytes: 1, kind: "float" },
  i64: integer(8, true),
  u64: integer(8, false),
  i32: integer(4, true),
  u32: integer(4, false),
  i16: integer(2, true),
  u16: integer(2, false),
  i8: integer(1, true),
  u8: integer(1, false),
  bool: { bytes: 1, kind: "bool" },
};

/** Bytes of one element. W7002 for a name that is no element type. */
export function elementBytes(dtype: DType): 1 | 2 | 4 | 8 {
  return checkDType(dtype).bytes;
}

/** Refuses what TypeScript could not: a name that is no element type (W7002). */
export function checkDType(dtype: DType): ElementInfo {
  if (!Object.hasOwn(elementInfo, dtype)) fail("W7002", { given: dtype });
  return elementInfo[dtype];
}
