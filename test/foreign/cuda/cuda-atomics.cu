// cuda::atomic_ref, semaphores and latches of the standard library; what threads leave does not depend on their order.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

extern "C" __global__ void cuda_atomics(const int* __restrict__ in, int* __restrict__ counts, unsigned* __restrict__ masks,
                                        double* __restrict__ largest, long long* __restrict__ guarded, int* __restrict__ signals) {
  using Semaphore = cuda::binary_semaphore<cuda::thread_scope_block>;
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Semaphore) char semaphore[sizeof(Semaphore)];
  __shared__ alignas(Latch) char latch[sizeof(Latch)];
  __shared__ int data;
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, v = in[i];
  if (t == 0) {
    new (semaphore) Semaphore(1);
    new (latch) Latch(blockDim.x);
    data = 0;
  }
  __syncthreads();
  Semaphore& lock = *reinterpret_cast<Semaphore*>(semaphore);
  Latch& done = *reinterpret_cast<Latch*>(latch);
  cuda::atomic_ref<int, cuda::thread_scope_device>(counts[0]).fetch_add(v & 255, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device>(counts[1]).fetch_max(v);
  cuda::atomic_ref<int, cuda::thread_scope_system>(counts[2]).fetch_sub(v & 15, cuda::memory_order_acq_rel);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(masks[v & 3]).fetch_or(1u << (v & 31), cuda::memory_order_release);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(masks[4 + (v & 3)]).fetch_xor(v * 2654435761u);
  cuda::atomic_ref<double, cuda::thread_scope_device>(largest[0]).fetch_max(v * 0.5);
  // One thread of each warp at a time has the lock; the others of its warp wait for it.
  if (t % 32 == 0) {
    lock.acquire();
    data += v & 1023;
    lock.release();
  }
  done.arrive_and_wait();
  if (t == 1) cuda::atomic_ref<long long, cuda::thread_scope_device>(guarded[0]).fetch_add(data);
  // A message to the next block: the last to be asked answers.
  if (t == 0) {
    signals[16 + blockIdx.x] = data;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(signals[0]);
    if (flag.fetch_add(1, cuda::memory_order_acq_rel) == static_cast<int>(gridDim.x) - 1) {
      int sum = 0;
      for (unsigned b = 0; b < gridDim.x; b++) sum = sum + signals[16 + b];
      signals[1] = sum;
    }
  }
}
