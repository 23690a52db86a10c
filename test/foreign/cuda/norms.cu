// Rows of a network: layer norm in f16 and bf16 with vectors, softmax in one pass, log-sum-exp with cross entropy.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}

/** A warp for each row, eight elements a lane. */
extern "C" __global__ void layer_norm(const uint4* __restrict__ in, const __half* __restrict__ weight, const __half* __restrict__ bias,
                                      __half* __restrict__ out, __nv_bfloat16* __restrict__ copy, int rows) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  const uint4 raw = in[row * 32 + lane];
  const __half2* pairs = reinterpret_cast<const __half2*>(&raw);
  float v[8], sum = 0, squares = 0;
  for (int k = 0; k < 4; k++) {
    const float2 f = __half22float2(pairs[k]);
    v[2 * k] = f.x;
    v[2 * k + 1] = f.y;
    sum += f.x + f.y;
  }
  const float mean = warp_sum(sum) / 256;
  for (int k = 0; k < 8; k++) squares += (v[k] - mean) * (v[k] - mean);
  const float scale = 1.0f / sqrtf(warp_sum(squares) / 256 + 1e-5f);
  for (int k = 0; k < 8; k++) {
    const int c = lane * 8 + k;
    const float y = (v[k] - mean) * scale * __half2float(weight[c]) + __half2float(bias[c]);
    out[row * 256 + c] = __float2half(y);
    copy[row * 256 + c] = __float2bfloat16(y);
  }
}

struct Partial {
  float most, sum;
};
__device__ Partial joined(Partial a, Partial b) {
  const float most = fmaxf(a.most, b.most);
  return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}

/** The maximum and the sum come together, in one pass over the row. */
extern "C" __global__ void online_softmax(const float* __restrict__ in, float* __restrict__ out, const int* __restrict__ labels,
                                          float* __restrict__ losses, int columns) {
  __shared__ Partial warps[4];
  const float* row = in + blockIdx.x * columns;
  const int t = threadIdx.x;
  Partial p = {-1e30f, 0};
  for (int c = t; c < columns; c += 128) p = joined(p, {row[c], 1});
  for (int d = 16; d > 0; d /= 2) p = joined(p, {__shfl_xor_sync(0xffffffff, p.most, d), __shfl_xor_sync(0xffffffff, p.sum, d)});
  if (t % 32 == 0) warps[t / 32] = p;
  __syncthreads();
  p = joined(joined(warps[0], warps[1]), joined(warps[2], warps[3]));
  for (int c = t; c < columns; c += 128) out[blockIdx.x * columns + c] = __expf(row[c] - p.most) / p.sum;
  if (t == 0) losses[blockIdx.x] = __logf(p.sum) + p.most - row[labels[blockIdx.x]];
}
