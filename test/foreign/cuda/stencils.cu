// Stencils: one dimension with a halo in shared memory, three dimensions marching along z with a queue in registers, Life with bits.
constexpr int radius = 4;
__constant__ float weights[radius + 1] = {0.5f, 0.25f, -0.125f, 0.0625f, -0.03125f};

extern "C" __global__ void stencil_1d(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[128 + 2 * radius];
  const int i = blockIdx.x * 128 + threadIdx.x, s = threadIdx.x + radius;
  const auto at = [&](int k) { return k < 0 || k >= n ? 0.0f : in[k]; };
  tile[s] = at(i);
  if (threadIdx.x < radius) {
    tile[s - radius] = at(i - radius);
    tile[s + 128] = at(i + 128);
  }
  __syncthreads();
  float sum = weights[0] * tile[s];
  for (int k = 1; k <= radius; k++) sum += weights[k] * (tile[s - k] + tile[s + k]);
  if (i < n) out[i] = sum;
}

extern "C" __global__ void fdtd_3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz) {
  __shared__ float tile[8 + 2 * radius][16 + 2 * radius];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int sx = threadIdx.x + radius, sy = threadIdx.y + radius;
  const int px = nx + 2 * radius, plane = px * (ny + 2 * radius);
  const int column = (y + radius) * px + x + radius;
  float queue[2 * radius + 1];
  for (int k = 0; k < 2 * radius; k++) queue[k + 1] = in[k * plane + column];
  for (int z = 0; z < nz; z++) {
    for (int k = 0; k < 2 * radius; k++) queue[k] = queue[k + 1];
    queue[2 * radius] = in[(z + 2 * radius) * plane + column];
    const float* here = in + (z + radius) * plane + column;
    __syncthreads();
    tile[sy][sx] = queue[radius];
    if (threadIdx.x < radius) {
      tile[sy][threadIdx.x] = here[-radius];
      tile[sy][sx + 16] = here[16];
    }
    if (threadIdx.y < radius) {
      tile[threadIdx.y][sx] = here[-radius * px];
      tile[sy + 8][sx] = here[8 * px];
    }
    __syncthreads();
    float sum = weights[0] * queue[radius];
    for (int k = 1; k <= radius; k++)
      sum += weights[k] * (queue[radius - k] + queue[radius + k] + tile[sy - k][sx] + tile[sy + k][sx] + tile[sy][sx - k] + tile[sy][sx + k]);
    if (x < nx && y < ny) out[(z * ny + y) * nx + x] = sum;
  }
}

/** 32 cells of a row to a word, the world is a torus; sums of neighbours by full adders over bits. */
extern "C" __global__ void life(const unsigned* __restrict__ in, unsigned* __restrict__ out, int words, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words * rows) return;
  const int x = i % words, y = i / words;
  unsigned ones = 0, twos = 0, fours = 0;
  const auto add = [&](unsigned v) {
    const unsigned carry = ones & v, over = twos & carry;
    ones ^= v;
    twos ^= carry;
    fours |= over;
  };
  for (int dy = -1; dy <= 1; dy++) {
    const unsigned* row = in + (y + dy + rows) % rows * words;
    const unsigned here = row[x], left = row[(x + words - 1) % words], right = row[(x + 1) % words];
    add(__funnelshift_l(left, here, 1));
    add(__funnelshift_r(here, right, 1));
    if (dy != 0) add(here);
  }
  out[i] = twos & ~fours & (ones | in[i]);
}
