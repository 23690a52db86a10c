// Dynamic shared memory behind static, with an alignment of its own that swizzled layouts rely on; cut into parts by hand.
#include <cstdint>
extern __shared__ __align__(1024) unsigned char dynamic[];

extern "C" __global__ void dynamic_shared(const int* __restrict__ in, int* __restrict__ out, unsigned* __restrict__ places) {
  __shared__ int fixed[20];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int* const words = reinterpret_cast<int*>(dynamic);
  double* const wide = reinterpret_cast<double*>(dynamic + 1024);
  if (t < 20) fixed[t] = in[t];
  // 16-byte parts of rows of 128 bytes, by exclusive or with the row, as the address says.
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(dynamic)) + 4 * t;
  const unsigned swizzled = address ^ (address >> 7 & 7) << 4;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(swizzled), "r"(in[i]) : "memory");
  wide[t] = in[i] * 0.25;
  __syncthreads();
  const int row = t / 32;
  out[2 * i] = words[(t ^ row << 2) % 256] + fixed[t % 20];
  out[2 * i + 1] = static_cast<int>(wide[255 - t]);
  if (t == 0) {
    places[2 * blockIdx.x] = static_cast<unsigned>(__cvta_generic_to_shared(dynamic));
    places[2 * blockIdx.x + 1] = static_cast<unsigned>(__cvta_generic_to_shared(dynamic)) % 1024;
  }
}
