// Texture fetches of every geometry. Coordinates are k * scale + shift, which is exact in float where scale and shift are powers of two.
namespace {
__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
}  // namespace

extern "C" __global__ void fetch_1d(cudaTextureObject_t t, const int* k, float4* out, int n, float scale, float shift) {
  const int i = thread();
  if (i < n) out[i] = tex1D<float4>(t, k[i] * scale + shift);
}

extern "C" __global__ void fetch_2d(cudaTextureObject_t t, const int* k, float4* out, int n, float scale, float shift) {
  const int i = thread();
  if (i < n) out[i] = tex2D<float4>(t, k[2 * i] * scale + shift, k[2 * i + 1] * scale + shift);
}

extern "C" __global__ void fetch_3d(cudaTextureObject_t t, const int* k, float4* out, int n, float scale, float shift) {
  const int i = thread();
  if (i < n) out[i] = tex3D<float4>(t, k[3 * i] * scale + shift, k[3 * i + 1] * scale + shift, k[3 * i + 2] * scale + shift);
}

// Signed, unsigned and narrow integers, as they are.
extern "C" __global__ void integers_2d(cudaTextureObject_t s, cudaTextureObject_t u, cudaTextureObject_t b, const int* k, int4* out_s,
                                       uint4* out_u, uchar4* out_b, int n, float scale, float shift) {
  const int i = thread();
  if (i >= n) return;
  const float x = k[2 * i] * scale + shift, y = k[2 * i + 1] * scale + shift;
  out_s[i] = tex2D<int4>(s, x, y);
  out_u[i] = tex2D<uint4>(u, x, y);
  out_b[i] = tex2D<uchar4>(b, x, y);
}

// Layers outside are the nearest ones.
extern "C" __global__ void fetch_layers(cudaTextureObject_t rows, cudaTextureObject_t images, const int* k, float4* out_rows,
                                        float4* out_images, int n, float scale, float shift) {
  const int i = thread();
  if (i >= n) return;
  const float x = k[2 * i] * scale + shift, y = k[2 * i + 1] * scale + shift;
  out_rows[i] = tex1DLayered<float4>(rows, x, i % 5);
  out_images[i] = tex2DLayered<float4>(images, x, y, i % 5);
}

// Directions whose longest axis is 2, so that the divisions are exact; no two axes are equally long.
extern "C" __global__ void fetch_cubes(cudaTextureObject_t cube, cudaTextureObject_t cubes, const int* k, float4* out_cube,
                                       float4* out_cubes, int n) {
  const int i = thread();
  if (i >= n) return;
  const float a = (k[2 * i] - 127) / 64.0f, b = (k[2 * i + 1] - 127) / 64.0f, m = i & 1 ? 2.0f : -2.0f;
  const int axis = i % 3;
  const float x = axis == 0 ? m : a, y = axis == 1 ? m : axis == 0 ? a : b, z = axis == 2 ? m : b;
  out_cube[i] = texCubemap<float4>(cube, x, y, z);
  out_cubes[i] = texCubemapLayered<float4>(cubes, x, y, z, i % 2);
}

extern "C" __global__ void gather(cudaTextureObject_t f, cudaTextureObject_t u, const int* k, float4* out_f, uint4* out_u, int n,
                                  float scale, float shift) {
  const int i = thread();
  if (i >= n) return;
  const float x = k[2 * i] * scale + shift, y = k[2 * i + 1] * scale + shift;
  switch (i & 3) {
    case 0: out_f[i] = tex2Dgather<float4>(f, x, y, 0); out_u[i] = tex2Dgather<uint4>(u, x, y, 0); break;
    case 1: out_f[i] = tex2Dgather<float4>(f, x, y, 1); out_u[i] = tex2Dgather<uint4>(u, x, y, 1); break;
    case 2: out_f[i] = tex2Dgather<float4>(f, x, y, 2); out_u[i] = tex2Dgather<uint4>(u, x, y, 2); break;
    default: out_f[i] = tex2Dgather<float4>(f, x, y, 3); out_u[i] = tex2Dgather<uint4>(u, x, y, 3); break;
  }
}

// Straight from memory: a row by index, also beside its ends, and rows with a pitch.
extern "C" __global__ void fetch_memory(cudaTextureObject_t row, cudaTextureObject_t image, const int* k, float4* out_row,
                                        float4* out_image, int n, int first, float scale, float shift) {
  const int i = thread();
  if (i >= n) return;
  out_row[i] = tex1Dfetch<float4>(row, i + first);
  out_image[i] = tex2D<float4>(image, k[2 * i] * scale + shift, k[2 * i + 1] * scale + shift);
}

// Levels and derivatives of a texture that has one level.
extern "C" __global__ void levels(cudaTextureObject_t t, const int* k, float4* out, int n, float scale, float shift) {
  const int i = thread();
  if (i >= n) return;
  const float x = k[2 * i] * scale + shift, y = k[2 * i + 1] * scale + shift;
  out[2 * i] = tex2DLod<float4>(t, x, y, static_cast<float>(i % 3));
  out[2 * i + 1] = tex2DGrad<float4>(t, x, y, make_float2(0.01f, 0.0f), make_float2(0.0f, 0.01f));
}

// What only PTX can ask: whole coordinates, offsets, halves, residency.
extern "C" __global__ void in_ptx(cudaTextureObject_t t, const int* k, float4* whole, float4* moved, ushort4* halves, uint2* packed,
                                  int* resident, int n) {
  const int i = thread();
  if (i >= n) return;
  const int x = k[2 * i], y = k[2 * i + 1];
  const float fx = x + 0.5f, fy = y + 0.5f;
  float4 v;
  asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "r"(x), "r"(y));
  whole[i] = v;
  asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {1, -2};"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(fx), "f"(fy));
  moved[i] = v;
  ushort4 h;
  asm volatile("tex.2d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
               : "=h"(h.x), "=h"(h.y), "=h"(h.z), "=h"(h.w) : "l"(t), "f"(fx), "f"(fy));
  halves[i] = h;
  uint2 p;
  asm volatile("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];" : "=r"(p.x), "=r"(p.y) : "l"(t), "f"(fx), "f"(fy));
  packed[i] = p;
  int is;
  asm volatile("{ .reg .pred p; tex.2d.v4.f32.f32 {%1, %2, %3, %4}|p, [%5, {%6, %7}]; selp.b32 %0, 1, 0, p; }"
               : "=r"(is), "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(fx), "f"(fy));
  resident[i] = is;
}
