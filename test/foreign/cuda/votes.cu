// What lanes tell each other: ballots, all and any, matches, sums and extremes of a warp, the active mask within branches.
extern "C" __global__ void votes(const int* __restrict__ in, unsigned* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  unsigned* o = out + 14 * i;
  o[0] = __ballot_sync(~0u, v & 1);
  o[1] = __all_sync(~0u, v > -2000000000) * 2 + __any_sync(~0u, v % 31 == 0);
  o[2] = __match_any_sync(~0u, v & 3);
  int same = 0;
  o[3] = __match_all_sync(~0u, v >> 31, &same) + same;
  o[4] = __match_any_sync(~0u, static_cast<unsigned long long>(v & 1) << 40);
  o[5] = __reduce_add_sync(~0u, static_cast<unsigned>(v));
  o[6] = __reduce_max_sync(~0u, v);
  o[7] = __reduce_min_sync(~0u, static_cast<unsigned>(v));
  o[8] = __reduce_xor_sync(~0u, static_cast<unsigned>(v));
  o[9] = __reduce_and_sync(~0u, static_cast<unsigned>(v) | 0xff) ^ __reduce_or_sync(~0u, static_cast<unsigned>(v) & 0xff00);
  const unsigned odd = o[0];
  if (v & 1) {
    o[10] = __reduce_add_sync(odd, 1u) + __shfl_sync(odd, v, __ffs(odd) - 1);
    o[11] = __ballot_sync(odd, v & 2);
  } else {
    o[10] = __reduce_max_sync(~odd, static_cast<unsigned>(threadIdx.x));
    o[11] = __popc(__ballot_sync(~odd, v & 2));
  }
  __syncwarp();
  unsigned mask, above;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(above));
  o[12] = __popc(odd & mask) + (__popc(odd & above) << 8);
  o[13] = __fns(odd, 0, (i & 7) + 1);
}
