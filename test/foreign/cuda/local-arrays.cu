// Arrays of a thread with an index that is known only then: insertion sort, a small stack, bytes of a word.
extern "C" __global__ void local_arrays(const int* __restrict__ in, int* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int values[24];
  for (int k = 0; k < 24; k++) values[k] = in[(i * 24 + k * 7) % 1536];
  for (int k = 1; k < 24; k++) {
    const int v = values[k];
    int at = k - 1;
    while (at >= 0 && values[at] > v) {
      values[at + 1] = values[at];
      at--;
    }
    values[at + 1] = v;
  }
  short stack[16];
  int top = 0, sum = 0;
  for (int k = 0; k < 24; k++) {
    if ((values[k] & 3) != 0 && top < 16) stack[top++] = static_cast<short>(values[k]);
    else if (top > 0) sum += stack[--top] * k;
  }
  while (top > 0) sum ^= stack[--top] << top;
  unsigned char bytes[8];
  *reinterpret_cast<int2*>(bytes) = make_int2(values[3], values[i % 24]);
  out[4 * i] = values[0];
  out[4 * i + 1] = values[i % 24];
  out[4 * i + 2] = sum;
  out[4 * i + 3] = bytes[i & 7] - bytes[(i + 3) & 7];
}
