// Groups of the lanes that took a branch, of equal labels, of a predicate; one of them acts for all.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void coalesced(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ counters) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  int* o = out + 4 * i;
  for (int k = 0; k < 4; k++) o[k] = 0;
  if (v & 1) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    o[0] = cg::reduce(odd, v, cg::plus<int>()) + static_cast<int>(odd.num_threads());
    o[1] = cg::exclusive_scan(odd, v & 255);
    if (v & 2) {
      const cg::coalesced_group deeper = cg::coalesced_threads();
      o[2] = deeper.shfl(v, deeper.num_threads() - 1) ^ static_cast<int>(deeper.thread_rank());
      deeper.sync();
    } else {
      const cg::coalesced_group other = cg::coalesced_threads();
      o[2] = static_cast<int>(other.ballot(v & 4)) + other.shfl_up(v & 15, 1);
    }
    odd.sync();
    cg::invoke_one(odd, [&] { atomicAdd(&counters[0], static_cast<int>(odd.size())); });
  } else {
    const cg::coalesced_group even = cg::coalesced_threads();
    const int old = cg::invoke_one_broadcast(even, [&] { return atomicAdd(&counters[1], static_cast<int>(even.size())) * 0; });
    o[1] = old + static_cast<int>(even.size());
  }
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto parts = cg::binary_partition(tile, v % 3 == 0);
  o[3] = cg::reduce(parts, v, cg::less<int>());
  const auto labelled = cg::labeled_partition(tile, (v >> 3) & 3);
  if (labelled.thread_rank() == 0) atomicAdd(&counters[2 + ((v >> 3) & 3)], static_cast<int>(labelled.size()));
  o[3] ^= cg::inclusive_scan(labelled, v & 63);
}
