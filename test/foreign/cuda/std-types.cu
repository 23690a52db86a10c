// Types of cuda::std in registers and local memory: array, tuple, optional, complex, span, variant, chrono-free bits.
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
namespace std_ = cuda::std;

__device__ std_::optional<int> divided(int a, int b) { return b == 0 ? std_::nullopt : std_::optional<int>(a / b); }

__device__ int sum(std_::span<const int> values) {
  int total = 0;
  for (int v : values) total = total * 3 + v;
  return total;
}

extern "C" __global__ void std_types(const int* __restrict__ in, int* __restrict__ out, double* __restrict__ products) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  std_::array<int, 8> window;
  for (int k = 0; k < 8; k++) window[k] = in[(i + k * 5) % (gridDim.x * blockDim.x)];
  const auto [least, most] = std_::make_tuple(window[window[0] & 7], window[window[1] & 7]);
  std_::variant<int, float, long long> either = window[2];
  if (window[3] & 1) either = 1.5f * (window[2] & 1023);
  if (window[3] & 2) either = static_cast<long long>(window[2]) * window[4];
  const int held = std_::visit([](auto v) { return static_cast<int>(v); }, either);
  int* o = out + 5 * i;
  o[0] = sum(std_::span<const int>(window.data() + (window[0] & 3), 4));
  o[1] = divided(least, most & 7).value_or(-1);
  o[2] = held;
  const unsigned bits = static_cast<unsigned>(window[5]);
  o[3] = static_cast<int>(std_::popcount(bits) + 100 * std_::countl_zero(bits) + std_::rotl(bits, 7) % 17 + std_::bit_ceil(bits & 0xffff));
  o[4] = static_cast<int>(std_::bit_cast<unsigned>(static_cast<float>(window[6])));
  const std_::complex<double> z(window[0] & 255, window[1] & 255), w = z * z + std_::complex<double>(0.5, -1.5) * z;
  products[2 * i] = w.real();
  products[2 * i + 1] = w.imag();
}
