// Tiles of a warp of every size: reductions, scans, votes and shuffles within each, and tiles of tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <unsigned N, class Parent>
__device__ int within(const Parent& parent, int v) {
  const auto tile = cg::tiled_partition<N>(parent);
  int sum = cg::reduce(tile, v, cg::plus<int>()) ^ cg::reduce(tile, v, cg::bit_xor<int>());
  sum = sum * 31 + cg::inclusive_scan(tile, v & 1023);
  sum = sum * 31 + cg::exclusive_scan(tile, v & 1023, cg::greater<int>());
  sum = sum * 31 + static_cast<int>(tile.ballot(v & 1)) + 2 * tile.any(v % 5 == 0) + tile.all(v % 7 != 0);
  sum = sum * 31 + tile.shfl_down(v, 1) + tile.shfl_up(v, 1) + tile.shfl(v, N - 1);
  sum = sum * 31 + static_cast<int>(tile.match_any(v & 3));
  tile.sync();
  return sum * 31 + static_cast<int>(tile.meta_group_rank() * 100 + tile.meta_group_size() + tile.thread_rank());
}

extern "C" __global__ void tiles(const int* __restrict__ in, int* __restrict__ out) {
  const auto block = cg::this_thread_block();
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  int* o = out + 6 * i;
  o[0] = within<32>(block, v);
  o[1] = within<16>(block, v);
  o[2] = within<8>(block, v);
  o[3] = within<4>(cg::tiled_partition<16>(block), v);
  o[4] = within<2>(block, v);
  const auto half = cg::tiled_partition<16>(block);
  o[5] = 0;
  // One half of each warp works by itself, with barriers of its own.
  if (half.meta_group_rank() % 2 == 1) {
    int x = v;
    for (int round = 0; round < 4; round++) {
      x = half.shfl_xor(x, 1 << round) * 3 + round;
      half.sync();
    }
    o[5] = x;
  }
}
