// f64: fused products, division, square roots, roundings by name, conversions to and from integers, and a dot product.
extern "C" __global__ void doubles(const double* __restrict__ x, const double* __restrict__ y, double* __restrict__ out,
                                   long long* __restrict__ whole, int n) {
  __shared__ double partial[256];
  double dot = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const double a = x[i], b = y[i];
    dot = fma(a, b, dot);
    double* o = out + 10 * i;
    o[0] = a / b;
    o[1] = sqrt(fabs(a));
    o[2] = __dadd_rz(a, b);
    o[3] = __dmul_ru(a, b);
    o[4] = __fma_rd(a, b, 1e-3);
    o[5] = 1.0 / a;
    o[6] = floor(a * 10.0) + rint(b * 10.0);
    o[7] = fmin(a, b) - copysign(fmax(a, b), a);
    o[8] = static_cast<double>(static_cast<float>(a)) + static_cast<double>(__double2float_ru(b));
    o[9] = a > b ? static_cast<double>(i) : static_cast<double>(-3ll * i);
    whole[2 * i] = static_cast<long long>(a * 1e12);
    whole[2 * i + 1] = __double_as_longlong(b) ^ __double2ll_rn(a * 1e3);
  }
  partial[threadIdx.x] = dot;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[10 * n] = partial[0];
}
