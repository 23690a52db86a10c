import { type Tensor } from "warpsmith";

function update(x: Tensor<"f32", 2>, i: number, state: { phase: boolean; count: number[] }) {
  "use kernel";
  x[i][i + 1] += 2;
  x[i++][0] = x[i][0];
  state.phase = !state.phase;
  const old = state.count[i]--;
  ++state.count[0];
  state.count[1] ??= old;
  delete (state as any).phase;
  return state.count.length;
}
