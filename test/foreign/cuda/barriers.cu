// Barriers with a result, named barriers between warps that make and warps that take, and threads that leave early.
extern "C" __global__ void barriers(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int ring[2][64];
  const int t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t];
  int* o = out + 4 * (blockIdx.x * blockDim.x + t);
  o[0] = __syncthreads_count(v & 1);
  o[1] = __syncthreads_and(v != 12345) * 2 + __syncthreads_or(v == 77);
  int sum = 0;
  if (t < 64) {
    // Two warps fill the ring: full is barrier 1 + slot, empty is 3 + slot.
    for (int round = 0; round < 6; round++) {
      const int slot = round & 1;
      if (round >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + slot) : "memory");
      ring[slot][t] = v * (round + 1);
      __threadfence_block();
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + slot) : "memory");
    }
  } else {
    for (int round = 0; round < 6; round++) {
      const int slot = round & 1;
      asm volatile("bar.sync %0, 128;" ::"r"(1 + slot) : "memory");
      sum = sum * 3 + ring[slot][(t * 7 + round) % 64];
      if (round < 4) asm volatile("bar.arrive %0, 128;" ::"r"(3 + slot) : "memory");
    }
  }
  o[2] = sum;
  o[3] = 0;
  if (t % 32 >= 20) return;
  __syncthreads();
  o[3] = ring[1][t % 64] + __shfl_sync(0xfffffu, v, (t % 32 + 1) % 20);
}
