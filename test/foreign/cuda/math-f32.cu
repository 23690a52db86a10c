// The library's f32 functions: sines of small and of huge angles, logarithms, powers, roots, rounding, special values.
extern "C" __global__ void math_f32(const float* __restrict__ in, float* __restrict__ exact, float* __restrict__ close) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  float* e = exact + 10 * i;
  e[0] = x / 3.7f + 1.0f / x;
  e[1] = sqrtf(fabsf(x));
  e[2] = fmodf(x * 100.0f, 3.0f);
  e[3] = floorf(x * 8.0f) + ceilf(x) * truncf(x * 4.0f) - rintf(x * 3.0f);
  e[4] = fmaf(x, x, -0.5f) + fminf(x, 0.25f);
  int exponent;
  const float mantissa = frexpf(x, &exponent);
  e[5] = mantissa + exponent;
  e[6] = ldexpf(x, i % 40 - 20) + nextafterf(x, 10.0f);
  e[7] = __fadd_rd(x, 0.1f) - __fmul_ru(x, 0.3f) + __fdiv_rz(x, 7.0f) + __fsqrt_ru(fabsf(x));
  e[8] = static_cast<float>(__float2int_rd(x * 1000.0f)) + __int2float_rz(i * 1234567) + roundf(x * 2.0f);
  e[9] = copysignf(remainderf(x * 50.0f, 0.7f), -x) + (isnan(x) || isinf(x) || signbit(x) ? 1.0f : 0.0f);
  float* c = close + 10 * i;
  c[0] = sinf(x);
  c[1] = cosf(x * 1e6f);
  c[2] = expf(x) - exp2f(-x);
  c[3] = logf(fabsf(x) + 1e-3f);
  c[4] = powf(fabsf(x), 1.7f);
  c[5] = tanhf(x) + atan2f(x, 0.3f);
  c[6] = erff(x) + cbrtf(x);
  c[7] = rsqrtf(fabsf(x) + 0.01f) * tanf(x * 0.3f);
  c[8] = __sinf(x) + __expf(x) + __logf(fabsf(x) + 0.5f) + __fdividef(x, 3.0f);
  c[9] = log1pf(fabsf(x)) + asinf(fminf(fabsf(x), 1.0f)) + hypotf(x, 2.0f);
}
