import type { Value } from "../../ir/index.ts";
import type { Trace } from "../trace.ts";

/** Two elements as 16 bits each in one register, the first in the low half; f32 are rounded. */
export const packPair = (trace: Trace, type: "f16" | "bf16", low: Value, high: Value): Value =>
  trace.once("pair.pack", { low, high }, { type });
