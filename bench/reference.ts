// A matmul and a comparison that share nothing with the kernels under test: no TMA, no barriers, no tensor cores.
import { bitcast, blockDim, blockIdx, f32, fma, gridDim, kernel, range, type Tensor, threadIdx } from "warpsmith";

const BLOCK = 256;

/** d = a @ b in f32, one thread per element, k ascending. */
export const referenceKernel = kernel(
  { block: BLOCK, grid: (_a, _b, d) => [Math.ceil(d.shape[1] / BLOCK), d.shape[0]] },
  function reference(a: Tensor<"f16", 2>, b: Tensor<"f16", 2>, d: Tensor<"f32", 2>) {
    const row = blockIdx.y,
      col = blockIdx.x * BLOCK + threadIdx.x;
    if (col >= d.shape[1]) return;
    let sum = f32(0);
    for (const k of range(a.shape[1], { unroll: 8 })) sum = fma(f32(a[row][k]), f32(b[k][col]), sum);
    d[row][col] = sum;
  },
);

/**
 * The largest |actual - expected| (worst[0]) and |actual - expected| / max(|expected|, 1) (worst[1]), and how many elements are
 * further off than atol + rtol |expected| (misses[0]). Errors are kept as the bits of an f32, whose order is that of the numbers;
 * a NaN is larger than all of them.
 */
export const compareKernel = kernel(
  { block: BLOCK, grid: 1024 },
  function compare(
    actual: Tensor<"f32", 1>,
    expected: Tensor<"f32", 1>,
    worst: Tensor<"i32", 1>,
    misses: Tensor<"i32", 1>,
    rtol: f32,
    atol: f32,
  ) {
    let absolute = f32(0),
      relative = f32(0);
    let missed = 0;
    for (const i of range(blockIdx.x * blockDim.x + threadIdx.x, actual.shape[0], gridDim.x * blockDim.x)) {
      const want = expected[i],
        error = Math.abs(actual[i] - want),
        size = Math.abs(want);
      absolute = Math.max(absolute, error);
      relative = Math.max(relative, error / Math.max(size, 1));
      if (!(error <= atol + rtol * size)) missed++;
    }
    worst.at(0).atomic("max", bitcast("i32", absolute));
    worst.at(1).atomic("max", bitcast("i32", relative));
    misses.at(0).atomic("add", missed);
  },
);
