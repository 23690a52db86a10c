import type { DType } from "../types.ts";
import type { ScalarType } from "./types.ts";

/** The type of an element in a register: tf32 is f32, bool is a predicate. */
export function registerType(dtype: DType): ScalarType {
  if (dtype === "tf32") return "f32";
  return dtype === "bool" ? "pred" : dtype;
}

/** The type that loads and stores move: a bool in memory is a u8. */
export const memoryType = (dtype: DType): ScalarType => (dtype === "bool" ? "u8" : registerType(dtype));
