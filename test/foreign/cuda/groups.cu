// Cooperative groups: tiles of a warp, groups of the lanes that came along, one atomic for all of them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ counters) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  out[5 * i] = cg::reduce(tile, v, cg::plus<int>());
  out[5 * i + 1] = cg::exclusive_scan(tile, v & 255);
  out[5 * i + 2] = tile.shfl_xor(v, 5) + static_cast<int>(tile.meta_group_rank());
  out[5 * i + 3] = 0;
  if (v % 3 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    out[5 * i + 3] = group.shfl(v, 0) + static_cast<int>(group.size());
    if (group.thread_rank() == 0) atomicAdd(counters, static_cast<int>(group.size()));
  }
  const auto labelled = cg::labeled_partition(tile, v & 3);
  out[5 * i + 4] = cg::reduce(labelled, v, cg::greater<int>());
}
