// Inclusive prefix sums of a block in 64 bits: shuffles upwards, segments of eight lanes, and a broadcast.
extern "C" __global__ void warp_scan(const int* __restrict__ in, long long* __restrict__ out, int* __restrict__ segments) {
  __shared__ long long totals[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  long long sum = static_cast<long long>(in[i]) << 20;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const long long below = __shfl_up_sync(~0u, sum, offset);
    if (lane >= offset) sum += below;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  long long before = 0;
  for (int w = 0; w < warp; w++) before += totals[w];
  out[i] = sum + before;

  int segment = in[i];
  for (int offset = 1; offset < 8; offset *= 2) {
    const int below = __shfl_up_sync(~0u, segment, offset, 8);
    if ((lane & 7) >= offset) segment += below;
  }
  segments[i] = segment - __shfl_sync(~0u, segment, lane ^ 3, 8) + __shfl_sync(~0u, in[i], 5);
}
