// Small numbers: rows to s8 with a scale each, products of s4 weights by f16 with tricks over bits, dp4a.
#include <cuda_fp16.h>
#include <cstdint>

extern "C" __global__ void quantise_rows(const float* __restrict__ in, int8_t* __restrict__ out, float* __restrict__ scales, int columns) {
  __shared__ float warps[4];
  const float* row = in + blockIdx.x * columns;
  float most = 0;
  for (int c = threadIdx.x; c < columns; c += 128) most = fmaxf(most, fabsf(row[c]));
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(warps[0], warps[1]), fmaxf(warps[2], warps[3]));
  const float scale = most / 127.0f;
  for (int c = threadIdx.x; c < columns; c += 128)
    out[blockIdx.x * columns + c] = static_cast<int8_t>(max(-128, min(127, __float2int_rn(row[c] / scale))));
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

/** Eight weights of four bits to f16: 0x6400 | x is 1024 + x. */
__device__ void unpacked(uint32_t w, __half2 (&h)[4]) {
  uint32_t r[4];
  for (int i = 0; i < 4; i++)
    asm("lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;" : "=r"(r[i]) : "r"(w >> 4 * i));
  for (int i = 0; i < 4; i++) h[i] = __hsub2(*reinterpret_cast<const __half2*>(&r[i]), __half2half2(__ushort_as_half(0x6408)));
}

/** y = w x: a warp for each row of eights of weights; groups of 32 weights have a scale. */
extern "C" __global__ void int4_gemv(const uint32_t* __restrict__ w, const __half* __restrict__ scales, const __half2* __restrict__ x,
                                     __half* __restrict__ weights, float* __restrict__ y, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  for (int g = lane; g < columns / 8; g += 32) {
    __half2 h[4];
    unpacked(w[row * columns / 8 + g], h);
    const __half2 scale = __half2half2(scales[row * columns / 32 + g / 4]);
    for (int i = 0; i < 4; i++) {
      const __half2 v = __hmul2(h[i], scale);
      reinterpret_cast<__half2*>(weights)[row * columns / 2 + g * 4 + i] = v;
      const __half2 p = x[g * 4 + i];
      sum += __low2float(v) * __low2float(p) + __high2float(v) * __high2float(p);
    }
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) y[row] = sum;
}

/** Products of bytes by the instructions made for them, and unpacking of nibbles by prmt and bfe. */
extern "C" __global__ void dot_products(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* o = out + 4 * i;
  o[0] = __dp4a(a[i], b[i], 5);
  o[1] = static_cast<int>(__dp4a(static_cast<unsigned>(a[i]), static_cast<unsigned>(b[i]), 7u));
  o[2] = __dp2a_lo(a[i], b[i], -3) + __dp2a_hi(a[i], b[i], 11);
  int low, high;
  asm("{ .reg .b32 x; and.b32 x, %2, 0x0f0f0f0f; prmt.b32 %0, x, %3, 0x5140; prmt.b32 %1, x, %3, 0x7362; }"
      : "=r"(low), "=r"(high)
      : "r"(a[i]), "r"(b[i]));
  o[3] = __vadd4(low, high) ^ __vabsdiffu4(low, high);
}
