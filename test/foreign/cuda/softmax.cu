// One warp per row: the maximum, expf, the sum, one division per element.
extern "C" __global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* x = in + row * cols;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) top = fmaxf(top, x[c]);
  for (int offset = 16; offset > 0; offset /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, offset));
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) sum += expf(x[c] - top);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  for (int c = threadIdx.x; c < cols; c += 32) out[row * cols + c] = expf(x[c] - top) / sum;
}
