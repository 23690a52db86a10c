// Hopper's own copies by hand: a plain bulk copy and a tile of a tensor map under one mbarrier, then a bulk store of each.
#include <cstdint>

struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni out;\n"
      "bra.uni again;\n"
      "out:\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/** Tiles of 16 x 32 f32 from `map`, 512 f32 at a time from `in`; doubled tiles go through `back`, sums go to `out`. */
extern "C" __global__ void bulk_copy(const __grid_constant__ TensorMap map, const __grid_constant__ TensorMap back,
                                     const float* __restrict__ in, float* __restrict__ out, int rounds) {
  __shared__ __align__(128) float tile[512], line[512];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t at = shared_address(&barrier), t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  for (int round = 0; round < rounds; round++) {
    const int x = 32 * blockIdx.x, y = 16 * round;
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(4096) : "memory");
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                       shared_address(tile)),
                   "l"(&map), "r"(x), "r"(y), "r"(at)
                   : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       shared_address(line)),
                   "l"(in + 512 * (blockIdx.x * rounds + round)), "r"(2048), "r"(at)
                   : "memory");
    }
    wait(at, round & 1);
    for (int i = t; i < 512; i += blockDim.x) {
      const float v = tile[i];
      tile[i] = 2.0f * v;
      line[i] += v;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&back), "r"(x), "r"(y),
                   "r"(shared_address(tile))
                   : "memory");
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + 512 * (blockIdx.x * rounds + round)),
                   "r"(shared_address(line)), "r"(2048)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}
