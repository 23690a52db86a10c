// A matrix of 8-byte elements transposed through padded shared memory; the edges are not whole tiles.
extern "C" __global__ void transpose(const double* __restrict__ in, double* __restrict__ out, int rows, int cols) {
  __shared__ double tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    if (col < cols && row + r < rows) tile[threadIdx.y + r][threadIdx.x] = in[(row + r) * cols + col];
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x;
  for (int r = 0; r < 32; r += 8) {
    const int to = blockIdx.x * 32 + threadIdx.y + r;
    if (col < rows && to < cols) out[to * rows + col] = tile[threadIdx.x][threadIdx.y + r];
  }
}
