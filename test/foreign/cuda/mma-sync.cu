// mma.sync by hand: bf16 through ldmatrix (plain and transposed), s8 sums in s32, tf32, f64.
#include <cuda_bf16.h>
#include <cstdint>

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

/** a: 16 x 16, b: 16 x 8, both row-major bf16; c: 16 x 8. */
extern "C" __global__ void mma_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  __shared__ __align__(16) __nv_bfloat16 as[16 * 16], bs[16 * 8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) as[i] = a[i];
  for (int i = lane; i < 128; i += 32) bs[i] = b[i];
  __syncwarp();
  uint32_t ra[4], rb[2];
  const uint32_t from_a = shared_address(&as[(lane % 16) * 16 + (lane / 16) * 8]);
  const uint32_t from_b = shared_address(&bs[(lane % 16) * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(from_a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(from_b));
  float d[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  const int group = lane / 4, pair = 2 * (lane % 4);
  c[group * 8 + pair] = d[0];
  c[group * 8 + pair + 1] = d[1];
  c[(group + 8) * 8 + pair] = d[2];
  c[(group + 8) * 8 + pair + 1] = d[3];
}

/** a: 16 x 32 row-major s8, b: 32 x 8 column-major s8; c: 16 x 8. */
extern "C" __global__ void mma_s8(const int8_t* a, const int8_t* b, int* c) {
  const int lane = threadIdx.x, group = lane / 4, t = lane % 4;
  const uint32_t* a4 = reinterpret_cast<const uint32_t*>(a);
  const uint32_t* b4 = reinterpret_cast<const uint32_t*>(b);
  const uint32_t ra[4] = {a4[group * 8 + t], a4[(group + 8) * 8 + t], a4[group * 8 + t + 4], a4[(group + 8) * 8 + t + 4]};
  const uint32_t rb[2] = {b4[group * 8 + t], b4[group * 8 + t + 4]};
  int d[4] = {lane, -lane, 1000000, INT32_MAX};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  reinterpret_cast<int4*>(c)[lane] = make_int4(d[0], d[1], d[2], d[3]);
}

/** tf32: a 16 x 8, b 8 x 8 (column-major); f64: a 8 x 4, b 4 x 8 (column-major). One result after the other. */
extern "C" __global__ void mma_tf32_f64(const float* a, const float* b, float* c, const double* x, const double* y, double* z) {
  const int lane = threadIdx.x, group = lane / 4, t = lane % 4;
  uint32_t ra[4], rb[2];
  const float fa[4] = {a[group * 8 + t], a[(group + 8) * 8 + t], a[group * 8 + t + 4], a[(group + 8) * 8 + t + 4]};
  const float fb[2] = {b[group * 8 + t], b[group * 8 + t + 4]};
  for (int i = 0; i < 4; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra[i]) : "f"(fa[i]));
  for (int i = 0; i < 2; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb[i]) : "f"(fb[i]));
  float d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  reinterpret_cast<float4*>(c)[lane] = make_float4(d[0], d[1], d[2], d[3]);
  double e[2] = {0.25, -0.25};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(e[0]), "+d"(e[1])
               : "d"(x[group * 4 + t]), "d"(y[group * 4 + t]));
  z[2 * lane] = e[0];
  z[2 * lane + 1] = e[1];
}
