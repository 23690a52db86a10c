// C = A B in f32 over shared tiles; each thread keeps 4 x 4 results in registers and sums k in ascending order.
constexpr int kTile = 64, kStep = 16;

extern "C" __global__ void __launch_bounds__(256, 2)
    matmul_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ float as[kStep][kTile + 4];
  __shared__ __align__(16) float bs[kStep][kTile];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += kStep) {
    for (int i = threadIdx.x; i < kTile * kStep; i += 256) {
      const int r = i / kStep, kk = i % kStep;
      as[kk][r] = row0 + r < m ? a[(row0 + r) * k + k0 + kk] : 0.0f;
      bs[i / kTile][i % kTile] = col0 + i % kTile < n ? b[(k0 + i / kTile) * n + col0 + i % kTile] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kStep; kk++) {
      const float4 right = *reinterpret_cast<const float4*>(&bs[kk][4 * tx]);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float left = as[kk][4 * ty + i];
        sum[i][0] = fmaf(left, right.x, sum[i][0]);
        sum[i][1] = fmaf(left, right.y, sum[i][1]);
        sum[i][2] = fmaf(left, right.z, sum[i][2]);
        sum[i][3] = fmaf(left, right.w, sum[i][3]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const int row = row0 + 4 * ty + i, col = col0 + 4 * tx + j;
      if (row < m && col < n) c[row * n + col] = sum[i][j];
    }
}
