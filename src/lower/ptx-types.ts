import { isAcc, type Type } from "../ir/index.ts";
import { classOf } from "./context.ts";

/** The instruction type for integer arithmetic: 8-bit integers are computed in 16 bits. */
export function integerType(type: Type): "s16" | "u16" | "s32" | "u32" | "s64" | "u64" {
  switch (type) {
    case "i8":
    case "i16":
      return "s16";
    case "i32":
      return "s32";
    case "i64":
      return "s64";
    case "u32":
    case "ptr.shared":
    case "ptr.cluster":
      return "u32";
    case "u64":
    case "ptr.global":
      return "u64";
    default:
      return "u16";
  }
}

/** The untyped type of a value's register. */
export function bitsType(type: Type): "pred" | "b16" | "b32" | "b64" {
  if (isAcc(type)) throw new TypeError("accumulators have no one register");
  const cls = classOf(type);
  return cls === "f32" ? "b32" : cls === "f64" ? "b64" : cls;
}

/** The instruction type for float arithmetic; undefined for 8-bit floats, which have none. */
export function floatType(type: Type): "f16" | "bf16" | "f32" | "f64" | undefined {
  return type === "f16" || type === "bf16" || type === "f32" || type === "f64" ? type : undefined;
}
