// A radix sort of one block by hand: four bits a pass, counted with ballots, scattered through shared memory.
extern "C" __global__ void radix_sort(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
  __shared__ unsigned keys[256], counts[16][9];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned key = in[blockIdx.x * 256 + t];
  for (int shift = 0; shift < 32; shift += 4) {
    const unsigned digit = key >> shift & 15;
    unsigned peers = 0xffffffff;
    for (int bit = 0; bit < 4; bit++) {
      const unsigned ones = __ballot_sync(0xffffffff, digit >> bit & 1);
      peers &= digit >> bit & 1 ? ones : ~ones;
    }
    if (t < 144) counts[t / 9][t % 9] = 0;
    __syncthreads();
    const int rank = __popc(peers & ((1u << lane) - 1));
    if (rank == 0) counts[digit][warp] = __popc(peers);
    __syncthreads();
    // Digits one after the other, and in each the warps in their order.
    if (warp == 0) {
      unsigned sum = 0;
      if (lane < 16)
        for (int w = 0; w < 8; w++) {
          const unsigned n = counts[lane][w];
          counts[lane][w] = sum;
          sum += n;
        }
      unsigned scan = sum;
      for (int d = 1; d < 16; d *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffff, scan, d);
        if (lane >= d) scan += other;
      }
      if (lane < 16) counts[lane][8] = scan - sum;
    }
    __syncthreads();
    keys[counts[digit][8] + counts[digit][warp] + rank] = key;
    __syncthreads();
    key = keys[t];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = key;
}
