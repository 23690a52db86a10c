// Counts bytes: atomics on shared memory, then one atomic per bin and block on global memory.
extern "C" __global__ void histogram(const unsigned char* __restrict__ data, int n, unsigned* __restrict__ bins) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  const uchar4* words = reinterpret_cast<const uchar4*>(data);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const uchar4 w = words[i];
    atomicAdd(&local[w.x], 1u);
    atomicAdd(&local[w.y], 1u);
    atomicAdd(&local[w.z], 1u);
    atomicAdd(&local[w.w], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (local[b] != 0) atomicAdd(&bins[b], local[b]);
}
