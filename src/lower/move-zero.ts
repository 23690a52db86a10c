import { f32, f64, int, type Reg } from "../ptx/index.ts";
import { type Context, emit } from "./context.ts";

/** Clears a register. */
export function moveZero(ctx: Context, r: Reg): void {
  emit(ctx, "mov", { type: r.cls }, [r, r.cls === "f32" ? f32(0) : r.cls === "f64" ? f64(0) : int(0)]);
}
