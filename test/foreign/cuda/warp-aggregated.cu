// Lanes that want to add to one counter let one of them add for all: by activemask, by match, and by popc of a ballot.
__device__ int aggregated(int* counter) {
  const unsigned active = __activemask();
  const int leader = __ffs(active) - 1, lane = threadIdx.x % 32;
  int base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(active));
  base = __shfl_sync(active, base, leader);
  return base + __popc(active & ((1u << lane) - 1));
}

/** What is kept comes in any order: told are its number, its sum and whether each place was taken once. */
extern "C" __global__ void warp_aggregated(const int* __restrict__ in, int* __restrict__ kept, int* __restrict__ totals,
                                           unsigned* __restrict__ taken, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int v = in[i];
    if (v % 3 == 0) {
      const int place = aggregated(&totals[0]);
      kept[place] = v;
      atomicOr(&taken[place / 32], 1u << place % 32);
      atomicAdd(&totals[1], v);
    }
    // One addition for each value that lanes have in common.
    const unsigned active = __activemask();
    const int bucket = v & 7;
    const unsigned peers = __match_any_sync(active, bucket);
    if (static_cast<int>(threadIdx.x % 32) == __ffs(peers) - 1) atomicAdd(&totals[2 + bucket], __popc(peers));
  }
}
