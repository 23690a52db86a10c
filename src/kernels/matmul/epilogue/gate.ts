import { silu } from "../../common/activations.ts";

/** silu(gate) · up, what becomes of a pair where no epilogue is given: SwiGLU (Shazeer, "GLU Variants Improve Transformer", 2020). */
export function gate(gate: number, up: number): number {
  "use kernel";
  return silu(gate) * up;
}
