// Bulk copies that complete a cuda::barrier: the block's input comes as one, results leave as one.
#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void barrier_bulk(const int* __restrict__ in, int* __restrict__ out, int rounds) {
  __shared__ alignas(128) int tile[2][256];
  __shared__ alignas(128) int result[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier ready[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; s++) init(&ready[s], blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const int* from = in + blockIdx.x * rounds * 256;
  int sum = 0;
  for (int round = 0; round < rounds; round++) {
    const int s = round & 1;
    Barrier::arrival_token token;
    if (t == 0) {
      cuda::memcpy_async(tile[s], from + 256 * round, cuda::aligned_size_t<16>(sizeof(tile[0])), ready[s]);
      token = cuda::device::barrier_arrive_tx(ready[s], 1, 0);
    } else {
      token = ready[s].arrive();
    }
    ready[s].wait(std::move(token));
    sum = sum * 3 + tile[s][(t * 7 + round) % 256];
    __syncthreads();
  }
  result[t] = sum;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (t == 0) {
    cuda::device::experimental::cp_async_bulk_shared_to_global(out + 256 * blockIdx.x, result, sizeof(result));
    cuda::device::experimental::cp_async_bulk_commit_group();
    cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
  }
}

/** Expects the bytes itself, by the wrappers of single instructions. */
extern "C" __global__ void barrier_expect(const int* __restrict__ in, int* __restrict__ out) {
  namespace ptx = cuda::ptx;
  __shared__ alignas(128) int tile[4][64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier ready;
  const int t = threadIdx.x;
  if (t == 0) {
    init(&ready, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (t == 0) {
    std::uint64_t* const handle = cuda::device::barrier_native_handle(ready);
    for (int part = 0; part < 4; part++)
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[part], in + 64 * (3 - part), sizeof(tile[0]), handle);
    token = cuda::device::barrier_arrive_tx(ready, 1, sizeof(tile));
  } else {
    token = ready.arrive();
  }
  ready.wait(std::move(token));
  for (int i = t; i < 256; i += blockDim.x) out[i] = tile[i / 64][i % 64] * 2 + 1;
}
