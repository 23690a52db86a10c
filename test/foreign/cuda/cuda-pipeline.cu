// cuda::pipeline of the standard library: of a thread, of a block, and with warps that produce and warps that consume.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

/** Each thread copies what it alone reads, three stages ahead. */
extern "C" __global__ void thread_pipeline(const int4* __restrict__ in, int* __restrict__ out, int rounds) {
  __shared__ int4 stage[3][64];
  const int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  int sum = 0;
  for (int ahead = 0, round = 0; round < rounds; round++) {
    for (; ahead < rounds && ahead < round + 3; ahead++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[ahead % 3][t], &in[ahead * 64 + t], cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    if (rounds - round >= 3) cuda::pipeline_consumer_wait_prior<2>(pipe);
    else cuda::pipeline_consumer_wait_prior<0>(pipe);
    const int4 v = stage[round % 3][t];
    sum = sum * 3 + (v.x ^ v.y) + (v.z ^ v.w);
    pipe.consumer_release();
  }
  out[t] = sum;
}

/** The whole block produces and consumes. */
extern "C" __global__ void block_pipeline(const int* __restrict__ in, int* __restrict__ out, int rounds) {
  constexpr int stages = 2;
  __shared__ alignas(16) int stage[stages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int ahead = 0, round = 0; round < rounds; round++) {
    for (; ahead < rounds && ahead < round + stages; ahead++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[ahead % stages], in + 128 * ahead, sizeof(stage[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 5 + stage[round % stages][(3 * threadIdx.x + round) % 128];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

/** The first warp copies, the other three read. */
extern "C" __global__ void role_pipeline(const int* __restrict__ in, int* __restrict__ out, int rounds) {
  constexpr int stages = 3;
  __shared__ alignas(16) int stage[stages][96];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  const auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int round = 0; round < rounds; round++) {
      pipe.producer_acquire();
      for (int k = t; k < 96; k += 32) cuda::memcpy_async(&stage[round % stages][k], &in[96 * round + k], sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
      pipe.consumer_wait();
      sum = sum * 7 + stage[round % stages][(t * 5 + round) % 96];
      pipe.consumer_release();
    }
    out[t - 32] = sum;
  }
}
