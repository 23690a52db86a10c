// Asks whether a field is null, then gives it an object in a loop on the GPU.
import { kernel, range, type Tensor, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128 }, function wrong(x: Tensor<"i32", 1>) {
  const state: { best: { at: number } | null } = { best: null };
  for (const i of range(8)) {
    if (state.best !== null) x[i] = state.best.at;
    state.best = { at: i }; // error: W2026
  }
});

export const run = () => wrong.compile(tensorSpec("i32", [128]));
