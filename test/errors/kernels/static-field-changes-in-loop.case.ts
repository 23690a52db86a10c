// Reads a field as a constant, then changes it in a loop on the GPU.
import { kernel, range, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const state = { phase: 0 };
  for (const i of range(8)) {
    n[i] = state.phase;
    state.phase = 1 - state.phase; // error: W2026
  }
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
