/** Activations by the approximations of the hardware: within 1e-6 (relative). */
import { fast } from "warpsmith";

/** x / (1 + 2^power) */
export function damped(x: number, power: number): number {
  "use kernel";
  return x * fast.rcp(1 + fast.exp2(power));
}

/** x / (1 + e^-x) */
export function silu(x: number): number {
  "use kernel";
  return damped(x, x * -Math.LOG2E);
}
