// Instructions that C++ has no name for, one after the other: 128 bits, carries, permutes, saturation, predicates, loads with hints.
extern "C" __global__ void inline_ptx(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned long long* __restrict__ wide) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[2 * i], b = in[2 * i + 1];
  unsigned r[10];
  asm("add.cc.u32 %0, %2, %3; addc.cc.u32 %1, %3, %3; addc.u32 %0, %0, 0;" : "=&r"(r[0]), "=r"(r[1]) : "r"(a), "r"(b));
  asm("mad.lo.cc.u32 %0, %2, %3, %2; madc.hi.u32 %1, %2, %3, 0;" : "=&r"(r[2]), "=r"(r[3]) : "r"(a), "r"(b));
  asm("prmt.b32.f4e %0, %1, %2, %1;" : "=r"(r[4]) : "r"(a), "r"(b));
  asm("add.sat.s32 %0, %1, %2;" : "=r"(r[5]) : "r"(a), "r"(b));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[6]) : "r"(a), "r"(b), "r"(a & 31), "r"(b & 15));
  asm("{ .reg .pred p, q; setp.lt.and.s32 p|q, %1, %2, 1; selp.u32 %0, 1, 2, p; @q add.u32 %0, %0, 8; }" : "=r"(r[7]) : "r"(a), "r"(b));
  asm("{ .reg .b16 l, h, x; mov.b32 {l, h}, %1; mul.lo.u16 x, l, h; cvt.u32.u16 %0, x; }" : "=r"(r[8]) : "r"(a));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r[9]) : "r"(a), "r"(b & 63));
  for (int k = 0; k < 10; k++) out[10 * i + k] = r[k];
  unsigned long long low, high;
  asm("mul.lo.u64 %0, %2, %3; mul.hi.u64 %1, %2, %3;" : "=&l"(low), "=l"(high) : "l"(0x9e3779b97f4a7c15ull * a), "l"(0xbf58476d1ce4e5b9ull + b));
  unsigned w, x, y, z;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(w), "=r"(x), "=r"(y), "=r"(z)
               : "l"(in + 4 * (i / 2)));
  wide[2 * i] = low + (static_cast<unsigned long long>(w ^ x) << 32 | (y ^ z));
  asm volatile("{ .reg .b128 q; .reg .b64 l, h; mov.b128 q, {%1, %2}; mov.b128 {l, h}, q; st.global.cs.u64 [%0], h; }" ::"l"(wide + 2 * i + 1),
               "l"(low), "l"(high)
               : "memory");
}
