// Kernels of bench/simt.ts, as nvcc compiles them:
//
//   nvcc -gencode=arch=compute_90a,code=compute_90a -O3 -ptx simt.cu -o simt.ptx
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

/** C = A B, n x n; a thread for each element, two loads of global memory for each multiplication. */
extern "C" __global__ void matmulNaive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

constexpr int tile = 16;

/** The same by tiles of shared memory. */
extern "C" __global__ void matmulTiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    as[y][x] = a[row * n + k + x];
    bs[y][x] = b[(k + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; i++) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

constexpr int reach = 4;
constexpr int planeX = 32, planeY = 8;

/**
 * One step of a stencil of radius 4 in three dimensions: planes of shared memory along z, what lies before and behind in registers.
 * `in` has a margin of 4 on each side; x and y are multiples of the block's. Weights are 1 / (distance + 1).
 */
extern "C" __global__ void stencil(const float* in, float* out, int nx, int ny, int nz) {
  __shared__ float plane[planeY + 2 * reach][planeX + 2 * reach];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int strideY = nx + 2 * reach, strideZ = strideY * (ny + 2 * reach);
  const int x = blockIdx.x * planeX + tx, y = blockIdx.y * planeY + ty;
  int at = (y + reach) * strideY + x + reach;
  float behind[reach], ahead[reach], current;
  for (int i = 0; i < reach; i++) behind[reach - 1 - i] = in[at + i * strideZ];
  current = in[at + reach * strideZ];
  for (int i = 0; i < reach; i++) ahead[i] = in[at + (reach + 1 + i) * strideZ];
  int next = at + (2 * reach + 1) * strideZ;
  at += reach * strideZ;
  for (int z = 0; z < nz; z++) {
    if (z > 0) {
      for (int i = reach - 1; i > 0; i--) behind[i] = behind[i - 1];
      behind[0] = current;
      current = ahead[0];
      for (int i = 0; i < reach - 1; i++) ahead[i] = ahead[i + 1];
      ahead[reach - 1] = in[next];
      next += strideZ;
      at += strideZ;
    }
    __syncthreads();
    if (ty < reach) {
      plane[ty][tx + reach] = in[at - reach * strideY];
      plane[ty + planeY + reach][tx + reach] = in[at + planeY * strideY];
    }
    if (tx < reach) {
      plane[ty + reach][tx] = in[at - reach];
      plane[ty + reach][tx + planeX + reach] = in[at + planeX];
    }
    plane[ty + reach][tx + reach] = current;
    __syncthreads();
    float value = current;
#pragma unroll
    for (int i = 1; i <= reach; i++)
      value += (1.0f / (i + 1)) * (ahead[i - 1] + behind[i - 1] + plane[ty + reach - i][tx + reach] + plane[ty + reach + i][tx + reach] +
                                   plane[ty + reach][tx + reach - i] + plane[ty + reach][tx + reach + i]);
    out[(z * ny + y) * nx + x] = value;
  }
}

__device__ uint32_t sharedAddress(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

constexpr int mmaTile = 64, mmaDepth = 32, padded = mmaDepth + 8;

/** C = A B^T, n x n, f16 in f32: tiles of 64 x 64 by four warps, 32 deep, through shared memory and ldmatrix. */
extern "C" __global__ void matmulMma(const __half* a, const __half* b, float* c, int n) {
  __shared__ __align__(16) __half as[mmaTile][padded], bs[mmaTile][padded];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int top = blockIdx.y * mmaTile, left = blockIdx.x * mmaTile;
  const int wy = 32 * (warp / 2), wx = 32 * (warp % 2);
  float d[2][4][4] = {};
  for (int k = 0; k < n; k += mmaDepth) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int row = thread / 4 + 32 * i, column = 8 * (thread % 4);
      *reinterpret_cast<uint4*>(&as[row][column]) = *reinterpret_cast<const uint4*>(&a[(top + row) * n + k + column]);
      *reinterpret_cast<uint4*>(&bs[row][column]) = *reinterpret_cast<const uint4*>(&b[(left + row) * n + k + column]);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < mmaDepth; kk += 16) {
      uint32_t ra[2][4], rb[4][2];
#pragma unroll
      for (int i = 0; i < 2; i++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(ra[i][0]), "=r"(ra[i][1]), "=r"(ra[i][2]), "=r"(ra[i][3])
                     : "r"(sharedAddress(&as[wy + 16 * i + lane % 16][kk + 8 * (lane / 16)])));
#pragma unroll
      for (int j = 0; j < 4; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(rb[j][0]), "=r"(rb[j][1]), "=r"(rb[j + 1][0]), "=r"(rb[j + 1][1])
                     : "r"(sharedAddress(&bs[wx + 8 * j + lane % 8 + 8 * (lane / 16)][kk + 8 * (lane / 8 % 2)])));
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
              : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
              : "r"(ra[i][0]), "r"(ra[i][1]), "r"(ra[i][2]), "r"(ra[i][3]), "r"(rb[j][0]), "r"(rb[j][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int r = 0; r < 4; r++)
        c[(top + wy + 16 * i + lane / 4 + 8 * (r / 2)) * n + left + wx + 8 * j + 2 * (lane % 4) + r % 2] = d[i][j][r];
}

/** One mma.sync again and again, every element of A and B one: a warp's D ends as n times the depth of the instruction. */
#define REPEAT(name, instruction, one)                                                                                          \
  extern "C" __global__ void name(float* c, int n) {                                                                            \
    const uint32_t x = one;                                                                                                     \
    float d[4] = {};                                                                                                            \
    for (int i = 0; i < n; i++)                                                                                                 \
      asm volatile(instruction " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"                                         \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                             \
                   : "r"(x));                                                                                                   \
    for (int r = 0; r < 4; r++) c[4 * threadIdx.x + r] = d[r];                                                                  \
  }

REPEAT(mmaF16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0x3c003c00)
REPEAT(mmaBf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 0x3f803f80)
REPEAT(mmaTf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 0x3f800000)

extern "C" __global__ void mmaS8(float* c, int n) {
  const uint32_t x = 0x01010101;
  int d[4] = {};
  for (int i = 0; i < n; i++)
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(x));
  for (int r = 0; r < 4; r++) c[4 * threadIdx.x + r] = d[r];
}

extern "C" __global__ void mmaF64(float* c, int n) {
  const double x = 1;
  double d[4] = {};
  for (int i = 0; i < n; i++)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4,%4,%4,%4,%4}, {%4,%4,%4,%4}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(x));
  for (int r = 0; r < 4; r++) c[4 * threadIdx.x + r] = d[r];
}

/** A load that the compiler keeps in its loop. */
__device__ int load(const int* shared) {
  int value;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(sharedAddress(shared)));
  return value;
}

/** Reads of shared memory and nothing else: a thread its own word; 16 threads one word; and each its column of 16 words. */
extern "C" __global__ void readOwn(int* out, int n) {
  __shared__ int x[1024];
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) sum += load(&x[threadIdx.x]);
  out[threadIdx.x] = sum;
}
extern "C" __global__ void readRow(int* out, int n) {
  __shared__ int x[1024];
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) sum += load(&x[threadIdx.x / 16 * 16 + i % 16]);
  out[threadIdx.x] = sum;
}
extern "C" __global__ void readColumn(int* out, int n) {
  __shared__ int x[1024];
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) sum += load(&x[i % 16 * 16 + threadIdx.x % 16]);
  out[threadIdx.x] = sum;
}

/** Dependent multiplications and additions of f32, no memory. */
extern "C" __global__ void arithmetic(float* x, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[at], b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < n; i++) {
    a = 0.5f * (a * b + c);
    b = 0.25f * (b * c + d);
    c = 0.125f * (c * d + a);
    d = 0.5f * (d * a + b);
    a = fminf(a, 1.0f);
    b = fminf(b, 1.0f);
  }
  x[at] = a + b + c + d;
}
