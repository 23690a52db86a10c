// nvcuda::wmma: one warp per 16 x 16 tile, f16 operands, a row-major A and a column-major B, f32 sums.
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_gemm(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int n, int k) {
  __shared__ __align__(32) half tile[2][16 * 16];
  const int row = blockIdx.y * 16, col = (blockIdx.x * 2 + threadIdx.y) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.5f);
  for (int k0 = 0; k0 < k; k0 += 16) {
    wmma::load_matrix_sync(left, a + row * k + k0, k);
    // Through shared memory, for that form of the load.
    for (int i = threadIdx.x; i < 256; i += 32) tile[threadIdx.y][i] = b[(col + i / 16) * k + k0 + i % 16];
    __syncwarp();
    wmma::load_matrix_sync(right, tile[threadIdx.y], 16);
    wmma::mma_sync(sum, left, right, sum);
    __syncwarp();
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 2.0f;
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}
