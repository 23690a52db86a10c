// A 5 x 5 filter over a picture of bytes with a border, weights in constant memory, dynamic shared memory for the tile.
__constant__ float filter[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
extern __shared__ unsigned char tile[];

extern "C" __global__ void convolution(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int width, int height) {
  const int side = blockDim.x + 4;
  for (int y = threadIdx.y; y < static_cast<int>(blockDim.y) + 4; y += blockDim.y)
    for (int x = threadIdx.x; x < side; x += blockDim.x) {
      const int from_x = min(max(static_cast<int>(blockIdx.x * blockDim.x) + x - 2, 0), width - 1);
      const int from_y = min(max(static_cast<int>(blockIdx.y * blockDim.y) + y - 2, 0), height - 1);
      tile[y * side + x] = in[from_y * width + from_x];
    }
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
#pragma unroll
  for (int dy = 0; dy < 5; dy++)
#pragma unroll
    for (int dx = 0; dx < 5; dx++) sum += filter[5 * dy + dx] * tile[(threadIdx.y + dy) * side + threadIdx.x + dx];
  out[y * width + x] = static_cast<unsigned char>(fminf(sum * (1.0f / 256.0f) + 0.5f, 255.0f));
}
