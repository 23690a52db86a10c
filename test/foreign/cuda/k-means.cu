// A step of k-means: the nearest centre of each point, sums in fixed point by atomics in shared memory, then in global memory.
constexpr int centres = 8, dimensions = 4;

extern "C" __global__ void k_means(const float4* __restrict__ points, const float4* __restrict__ given, int* __restrict__ nearest,
                                   unsigned long long* __restrict__ sums, unsigned* __restrict__ counts, int n) {
  __shared__ float4 centre[centres];
  __shared__ unsigned long long sum[centres][dimensions];
  __shared__ unsigned count[centres];
  const int t = threadIdx.x;
  if (t < centres) centre[t] = given[t], count[t] = 0;
  if (t < centres * dimensions) sum[t / dimensions][t % dimensions] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    const float4 p = points[i];
    float least = INFINITY;
    int best = 0;
    for (int c = 0; c < centres; c++) {
      const float dx = p.x - centre[c].x, dy = p.y - centre[c].y, dz = p.z - centre[c].z, dw = p.w - centre[c].w;
      const float d = dx * dx + dy * dy + dz * dz + dw * dw;
      if (d < least) least = d, best = c;
    }
    nearest[i] = best;
    atomicAdd(&count[best], 1u);
    const float part[dimensions] = {p.x, p.y, p.z, p.w};
    for (int k = 0; k < dimensions; k++)
      atomicAdd(&sum[best][k], static_cast<unsigned long long>(__float2ll_rn(part[k] * 1048576.0f)));
  }
  __syncthreads();
  if (t < centres) atomicAdd(&counts[t], count[t]);
  if (t < centres * dimensions) atomicAdd(&sums[t], sum[t / dimensions][t % dimensions]);
}
