// Groups of several warps: their barriers and exchanges are in the reserved part of shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void multi_warp_groups(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ cg::block_tile_memory<256> memory;
  __shared__ int stage[256];
  const auto block = cg::this_thread_block(memory);
  const auto pair = cg::tiled_partition<64>(block);
  const auto half = cg::tiled_partition<128>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], t = threadIdx.x;
  int* o = out + 4 * i;
  o[0] = cg::reduce(pair, v, cg::plus<int>());
  o[1] = cg::inclusive_scan(half, v & 0xffff);
  stage[t] = v;
  half.sync();
  o[2] = stage[(t & 128) | ((t + 65) & 127)];
  pair.sync();
  int x = v;
  // The two halves take different numbers of turns.
  for (int round = 0; round <= static_cast<int>(half.meta_group_rank()); round++) {
    half.sync();
    stage[t] = x * 5 + round;
    half.sync();
    x = stage[(t & 128) | ((t + 33) & 127)];
  }
  o[3] = x + half.shfl(v, 77) + pair.any(v % 64 == 0) + 2 * pair.all(v != 3);
}
