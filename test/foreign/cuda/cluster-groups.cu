// Clusters with distributed shared memory: a ring of blocks, sums over a cluster, split barriers, a sort over two blocks.
#include <cooperative_groups.h>
#include <utility>
namespace cg = cooperative_groups;

/** Each block hands what it has to the next one, as often as there are blocks. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_ring(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int ring[2][64];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  ring[0][t] = in[i];
  int sum = 0;
  cluster.sync();
  for (unsigned round = 0; round < cluster.num_blocks(); round++) {
    int* next = cluster.map_shared_rank(&ring[(round + 1) & 1][0], (cluster.block_rank() + 1) % cluster.num_blocks());
    const int v = ring[round & 1][t];
    sum = sum * 3 + v;
    next[(t + 1) % 64] = v + static_cast<int>(round);
    cluster.sync();
  }
  out[i] = sum;
}

/** Blocks add into the memory of the first; arrive and wait are apart. */
extern "C" __global__ void __cluster_dims__(2, 2, 1) cluster_sum(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int total, mine;
  cg::cluster_group cluster = cg::this_cluster();
  const int block = blockIdx.y * gridDim.x + blockIdx.x, t = threadIdx.x;
  if (t == 0) total = mine = 0;
  auto ready = cluster.barrier_arrive();
  const int v = in[block * blockDim.x + t] & 0xffff;
  cluster.barrier_wait(std::move(ready));
  atomicAdd(&mine, v);
  __syncthreads();
  if (t == 0) atomicAdd(cluster.map_shared_rank(&total, 0), mine);
  cluster.sync();
  if (t == 0) out[block] = *cluster.map_shared_rank(&total, 0) * 8 + static_cast<int>(cluster.block_rank());
  cluster.sync();
}

/** A bitonic sort whose outermost steps compare elements of two blocks. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_sort(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int mine[128];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank()), t = threadIdx.x, at = rank * 128 + t;
  const int base = (blockIdx.x - rank) * 128;
  mine[t] = in[base + at];
  cluster.sync();
  for (int size = 2; size <= 256; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = at ^ stride;
      const int theirs = other / 128 == rank ? mine[other % 128] : cluster.map_shared_rank(mine, other / 128)[other % 128];
      const int ours = mine[t];
      const bool up = (at & size) == 0, lower = at < other;
      const int kept = (up == lower) ? min(ours, theirs) : max(ours, theirs);
      cluster.sync();
      mine[t] = kept;
      cluster.sync();
    }
  }
  out[base + at] = mine[t];
}
