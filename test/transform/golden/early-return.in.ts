import { blockIdx, kernel, type i32, type Tensor } from "warpsmith";

export const scale = kernel({ block: 128 }, function scale(x: Tensor<"f32", 2>, rows: i32) {
  const row = blockIdx.x;
  if (row >= rows) return; // this thread has nothing to do

  // the rest
  x[row][0] = x[row][0] * 2;
});

function clamp(v: number, low: number, high: number): number {
  "use kernel";
  if (v < low) return low;
  else if (v > high) {
    return high;
  }
  return v;
}
