// Kernels whose PTX is long, for bench/parse.ts: products in registers, on tensor cores, scans, mathematics, sorting networks.
#include <cuda_fp16.h>
#include <mma.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int M, int N, int K, typename T> __global__ void sgemm(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T as[K][M * 16 + 1], bs[K][N * 16 + 1];
  T acc[M][N] = {};
  int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  for (int k0 = 0; k0 < k; k0 += K) {
    for (int i = threadIdx.x; i < K * M * 16; i += 256) { int r = i / K, q = i % K; int row = blockIdx.y * M * 16 + r; as[q][r] = row < m && k0 + q < k ? a[row * (long)k + k0 + q] : T(0); }
    for (int i = threadIdx.x; i < K * N * 16; i += 256) { int r = i / (N * 16), q = i % (N * 16); int col = blockIdx.x * N * 16 + q; bs[r][q] = col < n && k0 + r < k ? b[(k0 + r) * (long)n + col] : T(0); }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < K; kk++) {
#pragma unroll
      for (int i = 0; i < M; i++)
#pragma unroll
        for (int j = 0; j < N; j++) acc[i][j] += as[kk][ty * M + i] * bs[kk][tx * N + j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < N; j++) { int row = (blockIdx.y * 16 + ty) * M + i, col = (blockIdx.x * 16 + tx) * N + j; if (row < m && col < n) c[row * (long)n + col] = acc[i][j]; }
}
template <int N> __global__ void hmma(const half* a, const half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<accumulator, 16, 16, 16, float> acc[N];
#pragma unroll
  for (int i = 0; i < N; i++) fill_fragment(acc[i], 0.f);
  for (int k = 0; k < 1024; k += 16) {
    fragment<matrix_a, 16, 16, 16, half, row_major> fa; load_matrix_sync(fa, a + blockIdx.x * 16 * 1024 + k, 1024);
#pragma unroll
    for (int i = 0; i < N; i++) { fragment<matrix_b, 16, 16, 16, half, col_major> fb; load_matrix_sync(fb, b + i * 16 * 1024 + k, 1024); mma_sync(acc[i], fa, fb, acc[i]); }
  }
#pragma unroll
  for (int i = 0; i < N; i++) store_matrix_sync(c + i * 16, acc[i], 1024, mem_row_major);
}
template <int N> __global__ void mmaptx(const uint4* a, const uint4* b, float* c) {
  float acc[N][4] = {};
#pragma unroll 4
  for (int k = 0; k < 64; k++) {
    uint4 x = a[k * 32 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < N; i++) { uint4 y = b[(k * N + i) * 32 + threadIdx.x];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(acc[i][0]), "+f"(acc[i][1]), "+f"(acc[i][2]), "+f"(acc[i][3]) : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y)); }
  }
#pragma unroll
  for (int i = 0; i < N; i++) for (int j = 0; j < 4; j++) c[(i * 4 + j) * 32 + threadIdx.x] = acc[i][j];
}
template <int N, typename T> __global__ void scan(const T* x, T* y, int n) {
  auto w = cg::tiled_partition<32>(cg::this_thread_block());
  __shared__ T sums[32];
  T v[N]; T s = 0;
  int base = (blockIdx.x * blockDim.x + threadIdx.x) * N;
#pragma unroll
  for (int i = 0; i < N; i++) { v[i] = base + i < n ? x[base + i] : T(0); s += v[i]; v[i] = s; }
  for (int d = 1; d < 32; d *= 2) { T o = w.shfl_up(s, d); if (w.thread_rank() >= d) s += o; }
  if (w.thread_rank() == 31) sums[threadIdx.x / 32] = s;
  __syncthreads();
  T before = s - v[N - 1];
  for (int i = 0; i < threadIdx.x / 32; i++) before += sums[i];
#pragma unroll
  for (int i = 0; i < N; i++) if (base + i < n) y[base + i] = before + v[i];
}
template <int N> __global__ void math(const float* x, float* y, double* z) {
#pragma unroll
  for (int i = 0; i < N; i++) { float v = x[i * blockDim.x + threadIdx.x];
    y[i * blockDim.x + threadIdx.x] = sinf(v) + expf(v) * powf(v, 1.5f + i) + erff(v) / log1pf(v);
    z[i] = sin((double)v) + tgamma((double)v); }
}
template <int N> __global__ void sortnet(int* x) {
  int v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = x[threadIdx.x * N + i];
#pragma unroll
  for (int k = 2; k <= N; k *= 2)
#pragma unroll
    for (int j = k / 2; j > 0; j /= 2)
#pragma unroll
      for (int i = 0; i < N; i++) { int l = i ^ j; if (l > i) { bool up = (i & k) == 0; int a = v[i], b = v[l]; if ((a > b) == up) { v[i] = b; v[l] = a; } } }
#pragma unroll
  for (int i = 0; i < N; i++) x[threadIdx.x * N + i] = v[i];
}
#define G(M,N,K) template __global__ void sgemm<M,N,K,float>(const float*,const float*,float*,int,int,int);
G(4,4,8) G(8,8,8) G(8,4,16) G(2,8,16)
template __global__ void sgemm<4,4,8,double>(const double*,const double*,double*,int,int,int);
template __global__ void hmma<4>(const half*,const half*,float*); template __global__ void hmma<8>(const half*,const half*,float*);
template __global__ void mmaptx<8>(const uint4*,const uint4*,float*); template __global__ void mmaptx<32>(const uint4*,const uint4*,float*);
template __global__ void scan<8,int>(const int*,int*,int); template __global__ void scan<16,double>(const double*,double*,int);
template __global__ void math<2>(const float*,float*,double*);
template __global__ void sortnet<32>(int*); template __global__ void sortnet<64>(int*);
