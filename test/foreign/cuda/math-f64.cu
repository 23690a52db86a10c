// The library's f64 functions.
extern "C" __global__ void math_f64(const double* __restrict__ in, double* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = in[i];
  double* o = out + 8 * i;
  o[0] = exp(x) + expm1(x * 0.01);
  o[1] = log(fabs(x) + 1e-9);
  o[2] = sin(x) + cos(x * 1e5);
  o[3] = pow(fabs(x), 2.3);
  o[4] = atan(x) * tanh(x);
  o[5] = rsqrt(fabs(x) + 0.1) + cbrt(x);
  o[6] = fmod(x * 100.0, 0.7);
  o[7] = erfc(x);
}
