// printf with arguments of every size, and assertions that hold.
#include <cassert>
#include <cstdio>

extern "C" __global__ void printf_assert(const int* __restrict__ in, int* __restrict__ out) {
  const int i = threadIdx.x;
  assert(in[i] != 0x7fffffff);
  out[i] = in[i] * 3;
  int written = 0;
  if (i == 5) written = printf("thread %d has %d, %f, %llx and %s%c\n", i, in[i], in[i] / 4.0, 1ull << 40, "text", '!');
  if (i == 6) written = printf("no arguments\n");
  out[blockDim.x + i] = written;
}
