// Calls: recursion, structs by value, tables of functions, virtual methods, printf, assert, malloc; initialisers with addresses.
#include <cassert>
#include <cstdio>

struct Base {
  __device__ virtual int f(int x) { return x; }
};
struct Derived : Base {
  __device__ int f(int x) override { return x * 3; }
};
typedef float (*Function)(float);
__device__ float increment(float x) { return x + 1; }
__device__ float twice(float x) { return x * 2; }
__device__ Function table[2] = {increment, twice};
struct Record {
  int a;
  float b[3];
  const char *s;
  int *p;
  double d;
};
__device__ int matrix[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}};
__device__ Record record = {1, {1.f, 2.f}, "text", &matrix[1][2], 3.5};
__device__ int *pointer = &matrix[2][1];
__constant__ double constants[2] = {1.5, 2.5};
__device__ float4 quad = {1, 2, 3, 4};

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ Record make(int a) {
  Record r = {a, {float(a), 2, 5}, 0, 0, double(a)};
  return r;
}

extern "C" __global__ void calls(float *x, int n, double *y) {
  int i = threadIdx.x;
  Base b;
  Derived d;
  Base *p = n ? &b : (Base *)&d;
  x[i] = table[i & 1](x[i]) + p->f(i) + fib(n);
  Record r = make(n);
  y[i] = r.d + record.d + constants[i & 1] + quad.x + *record.p + *pointer;
  assert(n > 3);
  printf("a %d %f %s\n", n, x[0], record.s);
  char *m = (char *)malloc(n);
  m[0] = 1;
  free(m);
}

extern "C" __global__ void branches(float *x, int *v) {
  int i = threadIdx.x;
  switch (v[i]) {
    case 0: x[0] = 1; break;
    case 1: x[1] = __int_as_float(3); break;
    case 2: x[2] = clock(); break;
    case 3: x[3] = clock64(); break;
    case 4: x[4] = 5; break;
    case 5: __nanosleep(3); break;
    case 6: __trap();
    case 7: x[9] = v[9]; break;
    case 8: x[3] = warpSize;
  }
}
