// f16 and bf16, one and two at a time: sums, products, fused products, comparisons, conversions in each rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half2* __restrict__ a, const __half2* __restrict__ b, __half2* __restrict__ out,
                                  int* __restrict__ whole) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 x = a[i], y = b[i];
  __half2* o = out + 12 * i;
  o[0] = __hadd2(x, y);
  o[1] = __hsub2(x, y);
  o[2] = __hmul2(x, y);
  o[3] = __hfma2(x, y, x);
  o[4] = __hfma2_sat(x, y, y);
  o[5] = __hmin2(x, y);
  o[6] = __hmax2_nan(x, y);
  o[7] = __hneg2(__habs2(x));
  o[8] = __hgt2(x, y);
  o[9] = __hfma2_relu(x, y, x);
  o[10] = __floats2half2_rn(__low2float(x) * 3.0f, __high2float(y) / 7.0f);
  o[11] = __halves2half2(__float2half_rz(__low2float(x) * 1.0003f), __float2half_ru(__high2float(y) * 1.0003f));
  int* w = whole + 4 * i;
  w[0] = __half2int_rn(__low2half(x));
  w[1] = __half2short_rz(__high2half(y)) + __half2uint_ru(__habs(__low2half(y)));
  w[2] = __hbeq2(x, y) + 2 * __hlt(__low2half(x), __high2half(y)) + 4 * __hisnan(__low2half(x));
  w[3] = __half_as_ushort(__int2half_rd(w[0] * 37 + i)) + (__half_as_ushort(__double2half(1.0 / (i + 1))) << 16);
}

extern "C" __global__ void bfloats(const __nv_bfloat162* __restrict__ a, const __nv_bfloat162* __restrict__ b,
                                   __nv_bfloat162* __restrict__ out, float* __restrict__ floats) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_bfloat162 x = a[i], y = b[i];
  __nv_bfloat162* o = out + 6 * i;
  o[0] = __hadd2(x, y);
  o[1] = __hmul2(x, y);
  o[2] = __hfma2(x, y, y);
  o[3] = __hmax2(x, __hneg2(y));
  o[4] = __floats2bfloat162_rn(__low2float(x) * 1.01f, __high2float(y) * 0.99f);
  o[5] = __halves2bfloat162(__float2bfloat16_rz(__low2float(y) * 1.01f), __hsub(__high2bfloat16(x), __low2bfloat16(y)));
  floats[2 * i] = __low2float(x) + __high2float(o[1]);
  floats[2 * i + 1] = __hge(__low2bfloat16(x), __low2bfloat16(y)) ? 1.0f : -1.0f;
}
