// LU with pivots of one small matrix for each warp, and a sparse matrix by rows times a vector.
extern "C" __global__ void batched_lu(const float* __restrict__ in, float* __restrict__ out, int* __restrict__ pivots) {
  constexpr int n = 16;
  __shared__ float a[2][n][n + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, matrix = blockIdx.x * 2 + warp;
  float(*m)[n + 1] = a[warp];
  for (int i = lane; i < n * n; i += 32) m[i / n][i % n] = in[matrix * n * n + i];
  __syncwarp();
  for (int k = 0; k < n; k++) {
    float most = lane >= k && lane < n ? fabsf(m[lane][k]) : -1.0f;
    int row = lane;
    for (int d = 16; d > 0; d /= 2) {
      const float other = __shfl_xor_sync(0xffffffff, most, d);
      const int its = __shfl_xor_sync(0xffffffff, row, d);
      if (other > most || (other == most && its < row)) most = other, row = its;
    }
    if (lane == 0) pivots[matrix * n + k] = row;
    if (row != k && lane < n) {
      const float swapped = m[k][lane];
      m[k][lane] = m[row][lane];
      m[row][lane] = swapped;
    }
    __syncwarp();
    if (lane > k && lane < n) m[lane][k] /= m[k][k];
    __syncwarp();
    for (int i = lane; i < (n - k - 1) * (n - k - 1); i += 32) {
      const int r = k + 1 + i / (n - k - 1), c = k + 1 + i % (n - k - 1);
      m[r][c] -= m[r][k] * m[k][c];
    }
    __syncwarp();
  }
  for (int i = lane; i < n * n; i += 32) out[matrix * n * n + i] = m[i / n][i % n];
}

/** A warp for each row; the lengths of rows differ. Columns and values come from what the row says. */
extern "C" __global__ void spmv(const int* __restrict__ lengths, const int* __restrict__ columns, const double* __restrict__ values,
                                const double* __restrict__ x, double* __restrict__ y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int begin = 0;
  for (int r = lane; r < row; r += 32) begin += lengths[r];
  for (int d = 16; d > 0; d /= 2) begin += __shfl_xor_sync(0xffffffff, begin, d);
  double sum = 0;
  for (int k = lane; k < lengths[row]; k += 32) sum += values[begin + k] * __ldg(&x[columns[begin + k]]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) y[row] = sum;
}
