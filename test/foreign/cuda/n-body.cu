// Forces between all bodies: tiles of them in shared memory, rsqrt by the hardware.
extern "C" __global__ void n_body(const float4* __restrict__ bodies, float* __restrict__ forces, int n) {
  __shared__ float4 tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const float4 me = bodies[i];
  float fx = 0, fy = 0, fz = 0;
  for (int from = 0; from < n; from += 64) {
    tile[threadIdx.x] = bodies[from + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 64; j++) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = fabsf(tile[j].w) * r * r * r;
      fx += dx * s;
      fy += dy * s;
      fz += dz * s;
    }
    __syncthreads();
  }
  forces[3 * i] = fx;
  forces[3 * i + 1] = fy;
  forces[3 * i + 2] = fz;
}
