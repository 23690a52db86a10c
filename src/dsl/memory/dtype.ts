import { first } from "../../ir/arith.ts";
import type { ScalarType, Value } from "../../ir/index.ts";
import { elementBytes } from "../../tensor-map.ts";
import type { DType } from "../../types.ts";
import type { Trace } from "../trace.ts";

/** The type of an element in a register: tf32 is f32, bool is a predicate. */
export function registerType(dtype: DType): ScalarType {
  if (dtype === "tf32") return "f32";
  return dtype === "bool" ? "pred" : dtype;
}

/** The type that loads and stores move: a bool in memory is a u8. */
export const memoryType = (dtype: DType): ScalarType => (dtype === "bool" ? "u8" : registerType(dtype));

/** An element from memory as it is in a register. */
export function fromMemory(trace: Trace, dtype: DType, value: Value): Value {
  if (dtype !== "bool") return value;
  const zero = first(trace.emit("const", {}, { value: 0 }, { types: ["u8"] }));
  return trace.once("cmp", { a: value, b: zero }, { is: "ne" });
}

/** A register's element as memory holds it. */
export const toMemory = (trace: Trace, dtype: DType, value: Value): Value =>
  dtype === "bool" ? trace.once("convert", { a: value }, {}, ["u8"]) : value;

export { elementBytes };
