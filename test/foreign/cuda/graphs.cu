// Graphs and tables: breadth first, connected components by pointer jumping, and a hash table filled by compare and swap.
/** Each vertex has four neighbours. All levels in one block; the first to reach a vertex puts it into the next front. */
extern "C" __global__ void bfs(const int* __restrict__ neighbours, int* distance, int* front, int n) {
  __shared__ int length, next;
  const int t = threadIdx.x;
  for (int v = t; v < n; v += blockDim.x) distance[v] = v == 0 ? 0 : -1;
  if (t == 0) front[0] = 0, length = 1, next = 0;
  __syncthreads();
  for (int level = 1; length > 0; level++) {
    int* const from = front + (level - 1 & 1) * n;
    int* const to = front + (level & 1) * n;
    for (int k = t; k < 4 * length; k += blockDim.x) {
      const int v = neighbours[4 * from[k / 4] + k % 4] % n;
      if (atomicCAS(&distance[v], -1, level) == -1) to[atomicAdd(&next, 1)] = v;
    }
    __syncthreads();
    if (t == 0) length = next, next = 0;
    __syncthreads();
  }
}

/** Lowest label of each component; edges are pairs of vertices. */
extern "C" __global__ void components(const unsigned* __restrict__ edges, unsigned* labels, int vertices, int count) {
  __shared__ int changed;
  for (int v = threadIdx.x; v < vertices; v += blockDim.x) labels[v] = v;
  __syncthreads();
  do {
    __syncthreads();
    if (threadIdx.x == 0) changed = 0;
    __syncthreads();
    for (int e = threadIdx.x; e < count; e += blockDim.x) {
      const unsigned u = edges[2 * e] % vertices, v = edges[2 * e + 1] % vertices;
      const unsigned a = atomicAdd(&labels[u], 0u), b = atomicAdd(&labels[v], 0u);
      if (a == b) continue;
      if (atomicMin(&labels[a > b ? u : v], min(a, b)) > min(a, b)) atomicExch(&changed, 1);
      atomicMin(&labels[max(a, b)], min(a, b));
    }
    __syncthreads();
  } while (changed != 0);
}

/** Keys with sums of their values; slots are taken in any order, so what is told is looked up again. */
extern "C" __global__ void hash_table(const unsigned* __restrict__ keys, unsigned long long* table, unsigned* __restrict__ sums,
                                      unsigned* __restrict__ taken, int n) {
  constexpr unsigned slots = 1024;
  const auto find = [&](unsigned key) {
    unsigned slot = key * 2654435761u >> 22;
    for (;; slot = (slot + 1) % slots) {
      const unsigned long long wanted = static_cast<unsigned long long>(key) + 1;
      const unsigned long long old = atomicCAS(&table[2 * slot], 0ull, wanted);
      if (old == 0) atomicAdd(taken, 1u);
      if (old == 0 || old == wanted) return slot;
    }
  };
  const int i = threadIdx.x;
  for (int k = i; k < n; k += blockDim.x) atomicAdd(&table[2 * find(keys[k] % 700) + 1], static_cast<unsigned long long>(k) * k);
  __syncthreads();
  for (int k = i; k < n; k += blockDim.x) sums[k] = static_cast<unsigned>(table[2 * find(keys[k] % 700) + 1]);
}
