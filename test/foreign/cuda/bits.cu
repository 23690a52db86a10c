// Bits and bytes of words: permutes, funnel shifts, dot products of bytes, fields, sums with saturation, four bytes at a time.
#include <cstdint>

extern "C" __global__ void bits(const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = a[i], y = b[i];
  const int s = static_cast<int>(x), t = static_cast<int>(y);
  unsigned* o = out + 20 * i;
  o[0] = __byte_perm(x, y, y & 0x7777);
  o[1] = __byte_perm(x, y, 0x2104);
  o[2] = __funnelshift_l(x, y, i);
  o[3] = __funnelshift_rc(x, y, i);
  o[4] = __dp4a(s, t, 1000);
  o[5] = __dp4a(x, y, 7u);
  o[6] = __dp2a_lo(s, t, -5) ^ __dp2a_hi(x, y, 9u);
  o[7] = __popc(x) + (__clz(s) << 8) + (__ffs(t) << 16);
  o[8] = __brev(x) ^ __umulhi(x, y) ^ __mulhi(s, t);
  o[9] = __sad(s, t, x) + __usad(x, y, 3u);
  o[10] = __mul24(s, t) + __umul24(x, y);
  o[11] = __hadd(s, t) + __urhadd(x, y);
  o[12] = __vadd4(x, y) ^ __vsub2(x, y);
  o[13] = __vmaxu4(x, y) + __vmins2(x, y);
  o[14] = __vcmpgtu4(x, y) ^ __vavgu4(x, y);
  o[15] = __vaddss2(x, y) ^ __vsetles2(x, y);
  unsigned field, inserted, position, saturated;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(y & 31), "r"((y >> 8) & 31));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(x), "r"(y), "r"(i & 31), "r"((i >> 2) & 31));
  asm("bfind.s32 %0, %1;" : "=r"(position) : "r"(s));
  asm("add.sat.s32 %0, %1, %2;" : "=r"(saturated) : "r"(s), "r"(t));
  o[16] = field + position;
  o[17] = inserted;
  o[18] = saturated;
  int signed_field;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(signed_field) : "r"(s), "r"(x & 63), "r"(y & 63));
  o[19] = static_cast<unsigned>(signed_field) ^ (x & ~y | (y ^ 0x5a5a5a5au));
}
