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

const BLOCK = 256;

/** An integer hash: a bit that changes changes about half of all (murmur3's finalizer). */
function scramble(x: i32) {
  "use kernel";
  let h = x ^ (x >>> 16);
  h = Math.imul(h, 0x85ebca6b | 0);
  h = h ^ (h >>> 13);
  h = Math.imul(h, 0xc2b2ae35 | 0);
  return (h ^ (h >>> 16)) >>> 0;
}

const normal = kernel(
  { block: BLOCK, grid: (x) => Math.min(2112, Math.ceil(x.shape[0] / BLOCK)), dynamic: { x: [0] } },
  function normal(x: Tensor<"f16" | "bf16" | "f32", 1>, seed: i32, deviation: f32) {
    for (const i of range(blockIdx.x * blockDim.x + threadIdx.x, x.shape[0], gridDim.x * blockDim.x)) {
      const first = scramble((Math.imul(i, 2) + seed) | 0);
      const second = scramble((Math.imul(i, 2) + 1 + seed) | 0);
      // Between 0 and 1, and neither, so that the logarithm is finite: the formula of Box and Muller.
      const u = (f32(first >>> 8) + 0.5) * 2 ** -24;
      const v = f32(second >>> 8) * 2 ** -24;
      const value = Math.sqrt(Math.log(u) * -2) * Math.cos(v * (2 * Math.PI)) * deviation;
      x[i] = x.dtype === "f32" ? value : x.dtype === "bf16" ? bf16(value) : f16(value);
    }
  },
);

/** Normal numbers around 0 of that standard deviation, the same for the same seed: zeros would run faster than what people multiply. */
export const fillNormal = (x: DeviceTensor<"f16" | "bf16" | "f32">, seed: number, deviation = 1): void =>
  normal.launch({}, x.reshape(x.shape.reduce((count, extent) => count * extent, 1)), Math.imul(seed, 0x9e3779b9), deviation);
