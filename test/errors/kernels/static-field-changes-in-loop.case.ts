// Reads a field that holds text, then changes it in a loop on the GPU.
import { kernel, range, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(n: Tensor<"i32", 1>) {
  const state = { phase: "even" };
  for (const i of range(8)) {
    n[i] = state.phase === "even" ? 0 : 1;
    state.phase = "odd"; // error: W2026
  }
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
