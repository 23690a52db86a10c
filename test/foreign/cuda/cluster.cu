// Clusters of four blocks: a histogram spread over their shared memory, atomics on a peer's, and values read from a neighbour.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster(const unsigned* __restrict__ in, unsigned* __restrict__ bins,
                                                             float* __restrict__ neighbours, int n) {
  __shared__ unsigned local[64];
  __shared__ float face[128];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  const int t = threadIdx.x;
  if (t < 64) local[t] = 0;
  face[t] = rank * 1000.0f + t + 0.5f;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bin = in[i] % 256;
    atomicAdd(cluster.map_shared_rank(local, bin / 64) + bin % 64, 1u);
  }
  const float* peer = cluster.map_shared_rank(face, (rank + 1) % cluster.num_blocks());
  neighbours[blockIdx.x * blockDim.x + t] = peer[127 - t] - face[t];
  cluster.sync();
  if (t < 64) atomicAdd(&bins[rank * 64 + t], local[t]);
}
