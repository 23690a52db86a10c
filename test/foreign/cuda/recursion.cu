// Functions that call themselves: a quick sort in local memory, towers of Hanoi, a parser of expressions, two that call each other.
__device__ __noinline__ void quick_sort(int* a, int from, int to) {
  if (to - from < 2) return;
  const int pivot = a[(from + to) / 2];
  int i = from, j = to - 1;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      const int swapped = a[i];
      a[i++] = a[j];
      a[j--] = swapped;
    }
  }
  quick_sort(a, from, j + 1);
  quick_sort(a, i, to);
}

__device__ __noinline__ unsigned hanoi(int discs, int from, int to, unsigned seen) {
  if (discs == 0) return seen;
  seen = hanoi(discs - 1, from, 3 - from - to, seen);
  return hanoi(discs - 1, 3 - from - to, to, seen * 31 + from * 4 + to);
}

struct Text {
  const char* at;
};
__device__ int sum(Text& text);
__device__ __noinline__ int factor(Text& text) {
  if (*text.at == '(') {
    text.at++;
    const int value = sum(text);
    text.at++;
    return value;
  }
  int value = 0;
  while (*text.at >= '0' && *text.at <= '9') value = value * 10 + (*text.at++ - '0');
  return value;
}
__device__ __noinline__ int product(Text& text) {
  int value = factor(text);
  while (*text.at == '*') text.at++, value *= factor(text);
  return value;
}
__device__ __noinline__ int sum(Text& text) {
  int value = product(text);
  while (*text.at == '+' || *text.at == '-') value = *text.at++ == '+' ? value + product(text) : value - product(text);
  return value;
}

__constant__ char expressions[4][24] = {"1+2*(3-4)*5", "((7))*8-9*(1+1)", "2*3*4*5-100", "(1+(2+(3+(4*5))))"};

extern "C" __global__ void recursion(const int* __restrict__ in, int* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a[16];
  for (int k = 0; k < 16; k++) a[k] = in[16 * i + k];
  quick_sort(a, 0, 16);
  for (int k = 0; k < 16; k++) out[18 * i + k] = a[k];
  out[18 * i + 16] = static_cast<int>(hanoi(i % 6, 0, 2, i));
  Text text = {expressions[i & 3]};
  out[18 * i + 17] = sum(text);
}
