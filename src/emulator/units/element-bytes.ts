import type { DType } from "../../types.ts";

/** Bytes of one element of a tensor map. */
export const elementBytes: Readonly<Record<DType, number>> = {
  f64: 8,
  i64: 8,
  u64: 8,
  f32: 4,
  tf32: 4,
  i32: 4,
  u32: 4,
  f16: 2,
  bf16: 2,
  i16: 2,
  u16: 2,
  e4m3: 1,
  e5m2: 1,
  i8: 1,
  u8: 1,
  bool: 1,
};
