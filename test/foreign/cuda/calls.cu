// Recursion, functions that are not inlined, structures by value, pointers to functions, virtual calls.
struct Pair {
  int low;
  long long high;
  float scale;
};

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ Pair combine(Pair p, int by) {
  Pair q;
  q.low = p.low * by + 1;
  q.high = p.high - static_cast<long long>(by) * p.low;
  q.scale = p.scale * 0.5f + by;
  return q;
}

__device__ __noinline__ int twice(int x) { return 2 * x + 1; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int minus(int x) { return -x; }
typedef int (*Unary)(int);
__device__ Unary functions[3] = {twice, square, minus};

struct Shape {
  __device__ virtual float area(float scale) const = 0;
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area(float scale) const override { return scale * side * side; }
};
struct Bar : Shape {
  float length, height;
  __device__ Bar(float l, float h) : length(l), height(h) {}
  __device__ float area(float scale) const override { return scale * length * height + 1.0f; }
};

extern "C" __global__ void calls(const int* __restrict__ in, int* __restrict__ out, float* __restrict__ areas) {
  const int i = threadIdx.x;
  const Square square_shape(1.0f + i);
  const Bar bar(i, 2.0f);
  const Shape* shape = (in[i] & 1) ? static_cast<const Shape*>(&square_shape) : &bar;
  areas[i] = shape->area(0.25f);
  out[4 * i] = ackermann(2, i % 5);
  Pair p = {in[i], 1ll << 40, 3.0f};
  for (int k = 0; k < 3; k++) p = combine(p, k + i % 3);
  out[4 * i + 1] = p.low + static_cast<int>(p.high >> 20);
  out[4 * i + 2] = static_cast<int>(p.scale * 16.0f);
  out[4 * i + 3] = functions[(in[i] & 0x7fffffff) % 3](i) + functions[i % 2](in[i] % 1000);
}
