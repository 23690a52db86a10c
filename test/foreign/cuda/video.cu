// What nvcc makes of the video instructions: differences of four bytes at a time, and their sums.
extern "C" __global__ void video(const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[3 * i] = __vabsdiffu4(a[i], b[i]);
  out[3 * i + 1] = __vsads4(a[i], b[i]);
  out[3 * i + 2] = __vsadu4(a[i], b[i]);
}
