// Memory, atomics, warps, barriers, asynchronous copies, matrices.
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void warps(int *v, unsigned long long *u, float *x, double *y) {
  int i = threadIdx.x, all = 0;
  v[i] = __shfl_sync(~0u, v[i], 3) + __shfl_down_sync(~0u, v[i], 3) + __shfl_xor_sync(~0u, v[i], 3) + __shfl_up_sync(~0u, v[i], 3);
  v[i] += __ballot_sync(~0u, v[i]) + __any_sync(~0u, v[i]) + __all_sync(~0u, v[i]) + __activemask() + __isShared(v);
  v[i] += __match_any_sync(~0u, v[i]) + __match_all_sync(~0u, v[i], &all) + __reduce_add_sync(~0u, v[i]) + all;
  v[i] += __syncthreads_count(v[i]) + __syncthreads_and(v[i]) + __syncthreads_or(v[i]);
  __syncwarp();
  atomicAdd(x, 1.f), atomicAdd(y, 1.), atomicMax(v, 3), atomicCAS(v + 1, 3, 4), atomicExch(u, 5ull), atomicAnd_block(v, 3);
  atomicXor_system(v, 3), atomicInc((unsigned *)v, 3), atomicSub(v, 3);
  __threadfence(), __threadfence_block(), __threadfence_system();
  v[i] += __ldg(v + i + 7) + __ldcg(v + 9) + __ldcs(v + 8) + __ldlu(v + 3) + __ldcv(v + 4);
  __stwt(v + 9, 1), __stcs(v + 4, 3), __stcg(v + 3, 1);
  volatile int *w = v;
  *w = *w + 1;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(v));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p bra $SKIP; trap; $SKIP: }" ::"r"(all));
  asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) matrices(float *x, half *a, half *b, double *d) {
  __shared__ float s[1024];
  extern __shared__ char dynamic[];
  __pipeline_memcpy_async(s + threadIdx.x * 4, x + threadIdx.x * 4, 16);
  __pipeline_memcpy_async(s + threadIdx.x * 4, x + threadIdx.x * 4, 4, 2);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(x, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> da;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> db;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> dc;
  wmma::fill_fragment(dc, 0.);
  wmma::load_matrix_sync(da, d, 8);
  wmma::load_matrix_sync(db, d, 8);
  wmma::mma_sync(dc, da, db, dc);
  wmma::store_matrix_sync(d, dc, 8, wmma::mem_row_major);
  unsigned r[4], q, at = (unsigned)__cvta_generic_to_shared(dynamic);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(q) : "r"(at));
  float f[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(q), "r"(q));
  x[7] = f[0] + f[1] + f[2] + f[3] + r[0];
}
