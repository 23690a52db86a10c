// Launches the kernels of a build without Node and without a CUDA toolkit, and compares what they give with what the host computes.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "kernels.hpp"

namespace {

/// Memory of the device, through the driver alone. The context that Kernels made, or found, is made the current one.
struct Device {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);

  template <typename... A>
  void call(const char* name, A... arguments) {
    int (*function)(A...);
    void* const found = dlsym(library, name);
    std::memcpy(&function, &found, sizeof function);
    const int code = found ? function(arguments...) : -1;
    if (code != 0) throw std::runtime_error(std::string(name) + " gives " + std::to_string(code));
  }
  std::uint64_t memory(const void* bytes, std::size_t count) {
    std::uint64_t address = 0;
    call("cuMemAlloc_v2", &address, count);
    if (bytes) call("cuMemcpyHtoD_v2", address, bytes, count);
    return address;
  }
};

/// Eighths of -5 to 5, and their bits as f16: products of them are exact.
int eighths(int i, int j) { return (i * 7 + j * 3) % 11 - 5; }
std::uint16_t half_of(int n) {
  static const std::uint16_t bits[] = {0, 0x3000, 0x3400, 0x3600, 0x3800, 0x3900};
  return static_cast<std::uint16_t>(bits[n < 0 ? -n : n] | (n < 0 ? 0x8000 : 0));
}
double value_of(std::uint16_t half) {
  const int exponent = (half >> 10) & 31, fraction = half & 1023;
  const double size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return half & 0x8000 ? -size : size;
}

int run(const char* folder) {
  constexpr int n = 512;
  constexpr int counts[] = {1, 127, 1000, 100003};
  Device device;
  if (!device.library) throw std::runtime_error("there is no libcuda.so.1");
  void* context = nullptr;
  device.call("cuInit", 0u);
  device.call("cuDevicePrimaryCtxRetain", &context, 0);
  device.call("cuCtxSetCurrent", context);
  kernels::Kernels k(folder);
  int wrong = 0;

  for (const int count : counts) {
    std::vector<float> x(static_cast<std::size_t>(count)), y(x.size());
    for (int i = 0; i < count; i++) x[static_cast<std::size_t>(i)] = static_cast<float>(i % 1000) / 8;
    const std::size_t bytes = x.size() * sizeof(float);
    const std::uint64_t from = device.memory(x.data(), bytes), to = device.memory(nullptr, bytes);
    k.scale({from, kernels::DType::f32, {count}}, {to, kernels::DType::f32, {count}}, 3.0f);
    device.call("cuCtxSynchronize");
    device.call("cuMemcpyDtoH_v2", static_cast<void*>(y.data()), to, bytes);
    for (std::size_t i = 0; i < x.size(); i++) wrong += y[i] != 3 * x[i];
  }
  std::printf("scale: %d wrong\n", wrong);

  std::vector<std::uint16_t> a(n * n), b(n * n), d(n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[static_cast<std::size_t>(i * n + j)] = half_of(eighths(i, j));
      b[static_cast<std::size_t>(i * n + j)] = half_of(eighths(j, i * 5));
    }
  const std::size_t bytes = a.size() * 2;
  const std::uint64_t left = device.memory(a.data(), bytes), right = device.memory(b.data(), bytes), out = device.memory(nullptr, bytes);
  const auto half = kernels::DType::f16;
  k.gemm({left, half, {n, n}}, {right, half, {n, n}}, {out, half, {n, n}});
  device.call("cuCtxSynchronize");
  device.call("cuMemcpyDtoH_v2", static_cast<void*>(d.data()), out, bytes);
  int off = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int l = 0; l < n; l++) sum += eighths(i, l) * eighths(j, l * 5);
      const double exact = sum / 64.0, given = value_of(d[static_cast<std::size_t>(i * n + j)]);
      off += std::fabs(given - exact) > std::ldexp(std::fabs(exact), -11) + 1e-7;
    }
  std::printf("gemm: %d of %d wrong\n", off, n * n);
  return wrong + off == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count > 1 ? arguments[1] : ".");
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
