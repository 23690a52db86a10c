// Arithmetic of every type, conversions, bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void __launch_bounds__(256, 2)
    numbers(double *y, float *x, long long *l, unsigned long long *u, int *v, unsigned *w, short *h) {
  int i = threadIdx.x;
  y[i] = sin(y[i]) + exp(y[i]) * log(y[i]) + pow(y[i], y[i + 1]) / sqrt(y[i]) + fmod(y[i], 3.) + rint(y[i]) + __drcp_rz(y[i]);
  x[i] = sinf(x[i]) + expf(x[i]) * logf(x[i]) + powf(x[i], x[i + 1]) + __sinf(x[i]) + __expf(x[i]) + __fdividef(x[i], x[i + 2]);
  x[i] += tanhf(x[i]) + fmaf(x[i], x[i], x[i]) + __fadd_rd(x[i], 1) + copysignf(x[i], x[i + 1]) + fminf(x[i], x[i + 1]);
  x[i] += roundf(x[i]) + ceilf(x[i]) + rsqrtf(x[i]) + __saturatef(x[i]);
  l[i] = l[i] / l[i + 1] + l[i + 1] % 7 + llabs(l[i]) + __mul64hi(l[i], l[i + 2]) + __ffsll(l[i]) + __clzll(l[i]) + llrint(y[i]);
  u[i] = u[i] / u[i + 1] + __umul64hi(u[i], u[i + 1]) + __brevll(u[i]) + (unsigned long long)y[i] + __popcll(u[i]);
  v[i] = __dp4a(v[i], v[i + 1], v[i + 2]) + __sad(v[i], v[i + 1], w[i]) + __byte_perm(v[i], v[i + 1], w[i]);
  v[i] += __funnelshift_l(v[i], v[i + 1], w[i]) + __funnelshift_rc(v[i], v[i + 1], w[i]) + __mulhi(v[i], v[i + 1]);
  v[i] += __mul24(v[i], v[i + 1]) + __ffs(v[i]) + __clz(v[i]) + __popc(v[i]) + __brev(v[i]) + v[i] / v[i + 3] + v[i] % 9;
  w[i] = w[i] / 7 + w[i] % w[i + 1] + __uhadd(w[i], w[i + 1]) + __vadd2(w[i], w[i + 1]) + __vmaxs2(w[i], w[i + 2]);
  h[i] = h[i] * h[i + 1] + h[i] / 3;
}

extern "C" __global__ void halves(__half *a, __nv_bfloat16 *b, __half2 *c, __nv_bfloat162 *d, float *x, __nv_fp8_e4m3 *e) {
  int i = threadIdx.x;
  a[i] = __hfma(a[i], a[i + 1], a[i + 2]) + hsin(a[i]) + hexp(a[i]) + h2sqrt(c[i]).x + htanh(a[i]) + __hmax(a[i], a[i + 1]);
  if (__hgt(a[i], a[i + 1])) a[i] = __float2half_rz(x[i]);
  b[i] = __hfma_relu(b[i], b[i + 1], b[i + 2]) + hlog(b[i]) + __hmin_nan(b[i], b[i + 1]);
  c[i] = __hfma2(c[i], c[i + 1], c[i + 2]) + h2exp2(c[i]) + __heq2(c[i], c[i + 1]) + __lows2half2(c[i], c[i + 1]);
  d[i] = __hmul2(d[i], d[i + 1]) + h2tanh(d[i]) + __hlt2(d[i], d[i + 1]) + __floats2bfloat162_rn(x[i], x[i + 1]);
  e[i] = __nv_fp8_e4m3(x[i]);
  x[i] += float(e[i + 1]) + __half2float(a[i + 5]) + __bfloat162float(b[9]);
  atomicAdd(a, a[i]);
  atomicAdd(b, b[i]);
  atomicAdd(c, c[i]);
  atomicAdd(d, d[i]);
}
