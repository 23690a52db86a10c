// Bitonic sort of pairs: within a warp by shuffles, beyond it through shared memory.
extern "C" __global__ void bitonic(const float* __restrict__ in, float* __restrict__ out, int* __restrict__ from) {
  __shared__ float keys[512];
  __shared__ int places[512];
  const int t = threadIdx.x, base = blockIdx.x * 512;
  float key = in[base + t];
  int place = t;
  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      float other;
      int its;
      if (stride >= 32) {
        keys[t] = key;
        places[t] = place;
        __syncthreads();
        other = keys[t ^ stride];
        its = places[t ^ stride];
        __syncthreads();
      } else {
        other = __shfl_xor_sync(0xffffffff, key, stride);
        its = __shfl_xor_sync(0xffffffff, place, stride);
      }
      const bool up = (t & size) == 0, lower = (t & stride) == 0;
      const bool less = key < other || (key == other && place < its);
      if ((up == lower) != less) key = other, place = its;
    }
  }
  out[base + t] = key;
  from[base + t] = place;
}
