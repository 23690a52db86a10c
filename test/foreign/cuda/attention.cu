// Attention of one head, block by block of keys, the way of FlashAttention: both products by mma.sync, the softmax between them in registers.
#include <cuda_fp16.h>
#include <cstdint>

constexpr int width = 32, keys = 32;

__device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ uint32_t packed(float x, float y) {
  const __half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<const uint32_t*>(&h);
}

/** Four warps with 16 queries each; rows after the diagonal are masked. */
extern "C" __global__ void __launch_bounds__(128) attention(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                                     float* __restrict__ out, int length, float scale) {
  __shared__ __half ks[keys][width + 8], vs[keys][width + 8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, t = lane % 4;
  const int first = blockIdx.x * 64 + warp * 16;
  const auto word = [&](const __half* m, int row, int column) { return *reinterpret_cast<const uint32_t*>(&m[row * width + column]); };
  uint32_t rq[2][4];
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 4; i++) rq[s][i] = word(q, first + group + i % 2 * 8, 16 * s + 2 * t + i / 2 * 8);
  float o[4][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {};
  for (int from = 0; from < length && from < (static_cast<int>(blockIdx.x) + 1) * 64; from += keys) {
    for (int i = threadIdx.x; i < keys * width / 8; i += 128) {
      const int row = i / 4, column = i % 4 * 8;
      *reinterpret_cast<uint4*>(&ks[row][column]) = *reinterpret_cast<const uint4*>(&k[(from + row) * width + column]);
      *reinterpret_cast<uint4*>(&vs[row][column]) = *reinterpret_cast<const uint4*>(&v[(from + row) * width + column]);
    }
    __syncthreads();
    float p[4][4] = {};
    for (int j = 0; j < 4; j++)
      for (int s = 0; s < 2; s++)
        multiply(p[j], rq[s], *reinterpret_cast<const uint32_t*>(&ks[8 * j + group][16 * s + 2 * t]),
                 *reinterpret_cast<const uint32_t*>(&ks[8 * j + group][16 * s + 2 * t + 8]));
    for (int h = 0; h < 2; h++) {
      float peak = most[h];
      for (int j = 0; j < 4; j++)
        for (int e = 2 * h; e < 2 * h + 2; e++) {
          const bool seen = from + 8 * j + 2 * t + e % 2 <= first + group + 8 * h;
          p[j][e] = seen ? p[j][e] * scale : -1e30f;
          peak = fmaxf(peak, p[j][e]);
        }
      peak = fmaxf(peak, __shfl_xor_sync(0xffffffff, peak, 1));
      peak = fmaxf(peak, __shfl_xor_sync(0xffffffff, peak, 2));
      const float shrink = exp2f(most[h] - peak);
      most[h] = peak;
      sum[h] *= shrink;
      for (int j = 0; j < 4; j++)
        for (int e = 2 * h; e < 2 * h + 2; e++) {
          o[j][e] *= shrink;
          p[j][e] = exp2f(p[j][e] - peak);
          sum[h] += p[j][e];
        }
    }
    for (int s = 0; s < 2; s++) {
      const uint32_t rp[4] = {packed(p[2 * s][0], p[2 * s][1]), packed(p[2 * s][2], p[2 * s][3]), packed(p[2 * s + 1][0], p[2 * s + 1][1]),
                              packed(p[2 * s + 1][2], p[2 * s + 1][3])};
      for (int j = 0; j < 4; j++) {
        uint32_t b0, b1;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(b0), "=r"(b1)
                     : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&vs[16 * s + lane % 16][8 * j])))
                     : "memory");
        multiply(o[j], rp, b0, b1);
      }
    }
    __syncthreads();
  }
  for (int h = 0; h < 2; h++) {
    sum[h] += __shfl_xor_sync(0xffffffff, sum[h], 1);
    sum[h] += __shfl_xor_sync(0xffffffff, sum[h], 2);
    for (int j = 0; j < 4; j++)
      for (int e = 0; e < 2; e++) out[(first + group + 8 * h) * width + 8 * j + 2 * t + e] = o[j][2 * h + e] / sum[h];
  }
}
