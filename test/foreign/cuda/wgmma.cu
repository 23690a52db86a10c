// One warpgroup multiplies 64 x 64 by 64 x 64 (f16, K-major, no swizzle) with wgmma, twice, the second time A from registers.
#include <cuda_fp16.h>
#include <cstdint>

__device__ uint64_t descriptor(uint32_t address, uint32_t leading, uint32_t stride) {
  return static_cast<uint64_t>((address & 0x3ffff) >> 4) | static_cast<uint64_t>(leading >> 4) << 16 |
         static_cast<uint64_t>(stride >> 4) << 32;
}

/** Eight rows of 16 bytes lie together: 128 bytes. Along K the next follows 128 bytes on, along rows 1024 bytes on. */
__device__ int place(int row, int k) { return (row / 8) * 512 + (k / 8) * 64 + (row % 8) * 8 + k % 8; }

extern "C" __global__ void __launch_bounds__(128) wgmma(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c) {
  __shared__ __align__(128) half as[64 * 64], bs[64 * 64];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * 64; i += 128) {
    as[place(i / 64, i % 64)] = a[i];
    bs[place(i / 64, i % 64)] = b[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[32];
  for (int i = 0; i < 32; i++) d[i] = 0.0f;
  const uint32_t at_a = static_cast<uint32_t>(__cvta_generic_to_shared(as)), at_b = static_cast<uint32_t>(__cvta_generic_to_shared(bs));
#define SUMS                                                                                                                       \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),           \
      "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]),          \
      "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),          \
      "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define LIST                                                                                                                       \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
  // Nothing of D is computed below the fence.
#pragma unroll
  for (int i = 0; i < 32; i++) asm volatile("" : "+f"(d[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < 64; k += 16) {
    const uint64_t da = descriptor(at_a + 16 * k, 128, 1024), db = descriptor(at_b + 16 * k, 128, 1024);
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " LIST ", %32, %33, 1, 1, 1, 0, 0;" : SUMS : "l"(da), "l"(db));
  }
  const int row = 16 * (t / 32) + (t % 32) / 4, k0 = 2 * (t % 4);
  uint32_t ra[4];
  for (int i = 0; i < 4; i++)
    ra[i] = *reinterpret_cast<const uint32_t*>(&a[(row + 8 * (i & 1)) * 64 + k0 + 8 * (i >> 1)]);
  for (int i = 0; i < 4; i++) asm volatile("" : "+r"(ra[i])::"memory");
  const uint64_t db = descriptor(at_b, 128, 1024);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " LIST ", {%32,%33,%34,%35}, %36, 1, -1, 1, 0;"
               : SUMS
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "l"(db));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 32; i++) c[(row + 8 * (i >> 1 & 1)) * 64 + 8 * (i >> 2) + k0 + (i & 1)] = d[i];
}
