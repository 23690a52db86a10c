// Products by mma.sync: f16 in tiles through cp.async and ldmatrix, s8 by u8, f64 of 16 x 8 x 16, f16 sums, single bits.
#include <cuda_fp16.h>
#include <cstdint>

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void copy_16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ void load_4(uint32_t (&r)[4], const void* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(from))
               : "memory");
}
__device__ void load_4_transposed(uint32_t (&r)[4], const void* from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(from))
               : "memory");
}

/** c (m x n) = a (m x k) b (k x n), all by rows; blocks of 64 x 64 with four warps, k by 32, two stages. */
extern "C" __global__ void __launch_bounds__(128) gemm_f16(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c, int n, int k) {
  __shared__ alignas(128) __half as[2][64][32 + 8], bs[2][32][64 + 8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.y * 64, column = blockIdx.x * 64;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  const auto load = [&](int stage, int from) {
    for (int i = t; i < 256; i += 128) {
      copy_16(&as[stage][i / 4][i % 4 * 8], &a[(row + i / 4) * k + from + i % 4 * 8]);
      copy_16(&bs[stage][i / 8][i % 8 * 8], &b[(from + i / 8) * n + column + i % 8 * 8]);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[2][4][4] = {};
  load(0, 0);
  for (int from = 0; from < k; from += 32) {
    const int s = from / 32 & 1;
    if (from + 32 < k) {
      load(1 - s, from + 32);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t ra[2][4], rb[2][4];
      for (int i = 0; i < 2; i++) load_4(ra[i], &as[s][wm + 16 * i + lane % 16][kk + lane / 16 * 8]);
      for (int j = 0; j < 2; j++) load_4_transposed(rb[j], &bs[s][kk + lane % 16][wn + 16 * j + lane / 16 * 8]);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
              : "r"(ra[i][0]), "r"(ra[i][1]), "r"(ra[i][2]), "r"(ra[i][3]), "r"(rb[j / 2][j % 2 * 2]), "r"(rb[j / 2][j % 2 * 2 + 1]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++)
      for (int h = 0; h < 2; h++)
        *reinterpret_cast<float2*>(&c[(row + wm + 16 * i + lane / 4 + 8 * h) * n + column + wn + 8 * j + lane % 4 * 2]) =
            make_float2(d[i][j][2 * h], d[i][j][2 * h + 1]);
}

/** a by rows, b by columns; a warp for each 16 x 8 of c, k by 32. */
extern "C" __global__ void gemm_s8(const int8_t* __restrict__ a, const int8_t* __restrict__ b, int* __restrict__ c, int n, int k) {
  const int lane = threadIdx.x, group = lane / 4, t = lane % 4, row = blockIdx.y * 16, column = (blockIdx.x * blockDim.y + threadIdx.y) * 8;
  int d[4] = {};
  const auto word = [&](const int8_t* m, int r, int at) { return *reinterpret_cast<const uint32_t*>(&m[r * k + at]); };
  for (int from = 0; from < k; from += 32) {
    const int at = from + 4 * t;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(word(a, row + group, at)), "r"(word(a, row + group + 8, at)), "r"(word(a, row + group, at + 16)),
                   "r"(word(a, row + group + 8, at + 16)), "r"(word(b, column + group, at)), "r"(word(b, column + group, at + 16)));
  }
  for (int h = 0; h < 2; h++)
    *reinterpret_cast<int2*>(&c[(row + group + 8 * h) * n + column + 2 * t]) = make_int2(d[2 * h], d[2 * h + 1]);
}

/** One warp: c (16 x 8) = a (16 x k) b (8 x k), k by 16. */
extern "C" __global__ void gemm_f64(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c, int k) {
  const int lane = threadIdx.x, group = lane / 4, t = lane % 4;
  double d[4] = {};
  for (int from = 0; from < k; from += 16) {
    double ra[8], rb[4];
    for (int i = 0; i < 8; i++) ra[i] = a[(group + i % 2 * 8) * k + from + t + i / 2 * 4];
    for (int i = 0; i < 4; i++) rb[i] = b[group * k + from + t + i * 4];
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(ra[0]), "d"(ra[1]), "d"(ra[2]), "d"(ra[3]), "d"(ra[4]), "d"(ra[5]), "d"(ra[6]), "d"(ra[7]), "d"(rb[0]), "d"(rb[1]),
          "d"(rb[2]), "d"(rb[3]));
  }
  for (int h = 0; h < 4; h++) c[(group + h / 2 * 8) * 8 + 2 * t + h % 2] = d[h];
}

/** f16 sums, and single bits: products of the bits of two matrices, counted. */
extern "C" __global__ void small_shapes(const uint32_t* __restrict__ a, const uint32_t* __restrict__ b, uint32_t* __restrict__ halves,
                                        int* __restrict__ bits) {
  const int lane = threadIdx.x;
  uint32_t h[2] = {0, 0};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
               : "+r"(h[0]), "+r"(h[1])
               : "r"(a[lane]), "r"(a[lane + 32]), "r"(b[lane]));
  halves[2 * lane] = h[0];
  halves[2 * lane + 1] = h[1];
  int d[4] = {lane, 0, 0, -lane};
  asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[lane]), "r"(a[lane + 32]), "r"(a[lane + 64]), "r"(a[lane + 96]), "r"(b[lane]), "r"(b[lane + 32]));
  for (int i = 0; i < 4; i++) bits[4 * lane + i] = d[i];
}
