// y = a x + y with 16-byte loads and stores, a grid-stride loop, and the rest one by one.
extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const int quads = n / 4;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    const float4 u = x4[i];
    float4 v = y4[i];
    v.x = a * u.x + v.x;
    v.y = a * u.y + v.y;
    v.z = a * u.z + v.z;
    v.w = a * u.w + v.w;
    y4[i] = v;
  }
  const int rest = 4 * quads + blockIdx.x * blockDim.x + threadIdx.x;
  if (rest < n) y[rest] = a * x[rest] + y[rest];
}
