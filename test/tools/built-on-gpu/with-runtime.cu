// Beside the CUDA runtime: its memory, its stream, its context. Compiled by nvcc, which sees cuda.h and cuda_runtime.h, too.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

#include "kernels.hpp"

int main(int count, char** arguments) {
  constexpr int n = 1001;
  float *x = nullptr, *y = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMallocManaged(&x, n * sizeof(float)) || cudaMallocManaged(&y, n * sizeof(float)) || cudaStreamCreate(&stream)) return 1;
  for (int i = 0; i < n; i++) x[i] = static_cast<float>(i) / 8;
  kernels::Kernels k(count > 1 ? arguments[1] : ".");
  kernels::Launch how;
  how.stream = stream;
  const auto address = [](float* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  k.scale({address(x), kernels::DType::f32, {n}}, {address(y), kernels::DType::f32, {n}}, -4.0f, how);
  const cudaError_t error = cudaStreamSynchronize(stream);
  int wrong = error != cudaSuccess;
  for (int i = 0; i < n; i++) wrong += y[i] != -4 * x[i];
  std::printf("scale: %d wrong (%s)\n", wrong, cudaGetErrorString(error));
  return wrong != 0;
}
