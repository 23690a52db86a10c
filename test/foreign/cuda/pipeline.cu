// cuda::barrier and cuda::memcpy_async of the standard library: mbarriers as nvcc's own headers write them.
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void pipeline(const int* __restrict__ in, int* __restrict__ out, int rounds) {
  __shared__ alignas(16) int stage[2][256];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier ready[2];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0)
    for (int s = 0; s < 2; s++) init(&ready[s], blockDim.x);
  block.sync();
  cuda::memcpy_async(block, stage[0], in, cuda::aligned_size_t<16>(sizeof(stage[0])), ready[0]);
  int sum = 0;
  for (int round = 0; round < rounds; round++) {
    const int s = round & 1;
    if (round + 1 < rounds)
      cuda::memcpy_async(block, stage[1 - s], in + 256 * (round + 1), cuda::aligned_size_t<16>(sizeof(stage[0])), ready[1 - s]);
    ready[s].arrive_and_wait();
    sum = sum * 5 + stage[s][(threadIdx.x * 3 + round) % 256];
    block.sync();
  }
  out[threadIdx.x] = sum;
}
