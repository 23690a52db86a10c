// Numbers made on the device: 16384² of them would take the host seconds.
import {
  bf16,
  blockDim,
  blockIdx,
  type DeviceTensor,
  f16,
  f32,
  gridDim,
  type i32,
  kernel,
  range,
  type Tensor,
  threadIdx,
} from "warpsmith";
import type { Half } from "./problem.ts";

const BLOCK = 256;

/** An integer hash: half of all bits change for each bit that changes (lowbias32 by Chris Wellons). */
function scramble(x: i32) {
  "use kernel";
  let h = x ^ (x >>> 16);
  h = Math.imul(h, 0x7feb352d);
  h = h ^ (h >>> 15);
  h = Math.imul(h, 0x846ca68b | 0);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Fills x with numbers of N(0, 1) by the formula of Box and Muller, from element i and the seed alone. */
const normalKernel = kernel(
  { block: BLOCK, grid: (x) => Math.min(2112, Math.ceil(x.shape[0] / BLOCK)), dynamic: { x: [0] } },
  function fillNormal(x: Tensor<Half | "f32", 1>, seed: i32) {
    for (const i of range(blockIdx.x * blockDim.x + threadIdx.x, x.shape[0], gridDim.x * blockDim.x)) {
      const first = scramble((Math.imul(i, 2) + seed) | 0),
        second = scramble((Math.imul(i, 2) + 1 + seed) | 0);
      // From just above 0 to just below 1, so that the logarithm is finite.
      const u = (f32(first >>> 8) + 0.5) * 2 ** -24,
        v = f32(second >>> 8) * 2 ** -24;
      const value = Math.sqrt(Math.log(u) * -2) * Math.cos(v * (2 * Math.PI));
      x[i] = x.dtype === "f32" ? value : x.dtype === "bf16" ? bf16(value) : f16(value);
    }
  },
);

/** N(0, 1), the same for the same seed. */
export function fillNormal(x: DeviceTensor<Half | "f32", 1 | 2>, seed: number): void {
  normalKernel.launch({}, x.reshape(x.shape.reduce((count, extent) => count * extent, 1)), Math.imul(seed, 0x9e3779b9));
}
