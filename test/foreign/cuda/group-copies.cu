// memcpy_async of cooperative groups: by a block and by tiles, two stages in flight. The bytes are no multiple of four; of an odd number
// the last is lost where both sides lie at even addresses.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

extern "C" __global__ void group_copies(const int* __restrict__ in, const signed char* __restrict__ bytes, int* __restrict__ out, int rounds) {
  __shared__ alignas(16) int stage[2][128];
  __shared__ alignas(16) signed char odd[4][48];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const int t = threadIdx.x;
  cg::memcpy_async(tile, odd[t / 32], bytes + 38 * (4 * blockIdx.x + t / 32), 38);
  cg::wait(tile);
  int sum = 0;
  for (int k = 0; k < 38; k++) sum = sum * 3 + odd[t / 32][(k + t) % 38];
  const int* from = in + blockIdx.x * rounds * 128;
  cg::memcpy_async(block, stage[0], from, sizeof(stage[0]));
  for (int round = 0; round < rounds; round++) {
    if (round + 1 < rounds) {
      cg::memcpy_async(block, stage[(round + 1) & 1], from + 128 * (round + 1), cuda::aligned_size_t<16>(sizeof(stage[0])));
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum = sum * 7 + stage[round & 1][(5 * t + round) & 127];
    block.sync();
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
