// Prefix sums in one pass: each block publishes its sum, then what lies before it, and looks back over its predecessors.
#include <cuda/atomic>

constexpr int threads = 128, items = 4;
/** Status in the upper half: 1 the sum of the block alone, 2 with all before it. */
__device__ unsigned long long packed(unsigned status, unsigned value) { return static_cast<unsigned long long>(status) << 32 | value; }

extern "C" __global__ void look_back(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned long long* states,
                                     unsigned* ticket) {
  __shared__ unsigned tile, warps[threads / 32], before;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  // Blocks number themselves in the order in which they begin, so that none waits for one that is not there.
  if (t == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned base = tile * threads * items + t * items;
  unsigned v[items], sum = 0;
  for (int k = 0; k < items; k++) v[k] = sum += in[base + k];
  unsigned scan = sum;
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffff, scan, d);
    if (lane >= d) scan += other;
  }
  if (lane == 31) warps[warp] = scan;
  __syncthreads();
  unsigned total = 0, ahead = scan - sum;
  for (int w = 0; w < threads / 32; w++) {
    if (w < warp) ahead += warps[w];
    total += warps[w];
  }
  if (t == 0) {
    using State = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
    unsigned exclusive = 0;
    if (tile > 0) {
      State(states[tile]).store(packed(1, total), cuda::memory_order_release);
      for (int from = static_cast<int>(tile) - 1; from >= 0;) {
        const unsigned long long state = State(states[from]).load(cuda::memory_order_acquire);
        if (state >> 32 == 0) continue;
        exclusive += static_cast<unsigned>(state);
        if (state >> 32 == 2) break;
        from--;
      }
    }
    State(states[tile]).store(packed(2, exclusive + total), cuda::memory_order_release);
    before = exclusive;
  }
  __syncthreads();
  for (int k = 0; k < items; k++) out[base + k] = before + ahead + v[k];
}
