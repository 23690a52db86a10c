// Elements of one and two bytes: strides, sign and zero extension, arithmetic that wraps, narrow loads through the cache.
#include <cstdint>

extern "C" __global__ void strided_copy(uint8_t* out8, uint16_t* out16, int16_t* signs, const uint8_t* in8,
                                        const uint16_t* in16, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint8_t a = __ldg(in8 + i * stride);
  const uint16_t b = in16[(n - 1 - i) * stride];
  out8[2 * i] = a;
  out8[2 * i + 1] = static_cast<uint8_t>(a + b);
  out16[i] = static_cast<uint16_t>(b * 257u + a);
  signs[i] = static_cast<int16_t>(static_cast<int8_t>(a) * 3 - static_cast<int16_t>(b) / 7);
}
