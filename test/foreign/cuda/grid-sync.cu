// Cooperative launches: prefix sums over a whole grid, a Jacobi iteration with a barrier for each step, and a split barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

/** Sums of all blocks first, then each block adds those before it. */
extern "C" __global__ void grid_scan(const int* __restrict__ in, int* __restrict__ out, int* sums, int n) {
  __shared__ int warps[32];
  const cg::grid_group grid = cg::this_grid();
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = static_cast<int>(grid.thread_rank()), warp = threadIdx.x / 32;
  const int v = i < n ? in[i] & 0xffff : 0;
  int scan = cg::inclusive_scan(tile, v);
  if (tile.thread_rank() == 31) warps[warp] = scan;
  __syncthreads();
  for (int w = 0; w < warp; w++) scan += warps[w];
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = scan;
  grid.sync();
  int before = 0;
  for (unsigned b = 0; b < blockIdx.x; b++) before += sums[b];
  if (i < n) out[i] = before + scan;
}

extern "C" __global__ void jacobi(float* a, float* b, int width, int height, int steps) {
  const cg::grid_group grid = cg::this_grid();
  for (int step = 0; step < steps; step++) {
    for (unsigned i = grid.thread_rank(); i < static_cast<unsigned>(width * height); i += grid.size()) {
      const int x = i % width, y = i / width;
      const bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
      b[i] = edge ? a[i] : 0.25f * ((a[i - 1] + a[i + 1]) + (a[i - width] + a[i + width]));
    }
    grid.sync();
    float* const swapped = a;
    a = b;
    b = swapped;
  }
}

/** Between arrival and wait a block does what concerns nobody else. */
extern "C" __global__ void grid_split(const int* __restrict__ in, int* __restrict__ out, int* shared, int rounds) {
  cg::grid_group grid = cg::this_grid();
  const unsigned i = grid.thread_rank(), n = grid.num_threads();
  int x = in[i];
  for (int round = 0; round < rounds; round++) {
    int* stage = shared + (round & 1) * n;
    stage[i] = x;
    auto token = grid.barrier_arrive();
    const int alone = x * 3 + round;
    grid.barrier_wait(std::move(token));
    x = alone + stage[(i + 67) % n];
  }
  out[i] = x;
}
