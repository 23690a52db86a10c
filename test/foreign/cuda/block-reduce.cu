// One sum and one maximum per block: shuffles within a warp, shared memory between warps, always in the same order.
extern "C" __global__ void block_reduce(const float* __restrict__ in, float* __restrict__ sums, float* __restrict__ maxima,
                                        int n) {
  __shared__ float partial[2][32];
  float sum = 0.0f, top = -INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
    top = fmaxf(top, in[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) {
    partial[0][warp] = sum;
    partial[1][warp] = top;
  }
  __syncthreads();
  if (warp != 0) return;
  const int warps = blockDim.x / 32;
  sum = lane < warps ? partial[0][lane] : 0.0f;
  top = lane < warps ? partial[1][lane] : -INFINITY;
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
  }
  if (lane == 0) {
    sums[blockIdx.x] = sum;
    maxima[blockIdx.x] = top;
  }
}
