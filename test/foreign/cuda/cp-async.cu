// Two stages of cp.async through <cuda_pipeline.h>, 4, 8 and 16 bytes at a time, with a part filled by zeros.
#include <cuda_pipeline.h>

extern "C" __global__ void cp_async(const float* __restrict__ in, float* __restrict__ out, int tiles, int last) {
  __shared__ __align__(16) float stage[2][512];
  const int t = threadIdx.x;
  const auto fetch = [&](int tile) {
    float* to = stage[tile & 1];
    const float* from = in + 512 * tile;
    if (tile == tiles - 1) {
      const int left = max(0, min(16, 4 * (last - 4 * t)));
      __pipeline_memcpy_async(to + 4 * t, from + 4 * t, 16, 16 - left);
    } else if (tile % 3 == 0) {
      __pipeline_memcpy_async(to + 4 * t, from + 4 * t, 16);
    } else if (tile % 3 == 1) {
      __pipeline_memcpy_async(to + 2 * t, from + 2 * t, 8);
      __pipeline_memcpy_async(to + 256 + 2 * t, from + 256 + 2 * t, 8);
    } else {
      for (int k = 0; k < 4; k++) __pipeline_memcpy_async(to + 128 * k + t, from + 128 * k + t, 4);
    }
    __pipeline_commit();
  };
  fetch(0);
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; tile++) {
    if (tile + 1 < tiles) fetch(tile + 1);
    else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < 4; k++) sum = sum * 0.5f + stage[tile & 1][(t * 5 + 128 * k) % 512];
    __syncthreads();
  }
  out[t] = sum;
}
