// Every kind of atomic whose result does not depend on the order, on shared and global memory, 16 to 64 bits, and loops of CAS.
#include <cuda_fp16.h>

extern "C" __global__ void atomics(const int* __restrict__ in, int* __restrict__ ints, unsigned* __restrict__ words,
                                   unsigned long long* __restrict__ longs, float* __restrict__ floats,
                                   double* __restrict__ doubles_, __half2* __restrict__ halves, unsigned short* __restrict__ shorts) {
  __shared__ int local[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&local[0], v & 255);
  atomicMax(&local[1], v);
  atomicMin(&local[2], v);
  atomicXor(&local[3], v);
  atomicInc(reinterpret_cast<unsigned*>(&local[4]), 1000u);
  atomicOr(&local[5], 1 << (v & 31));
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&ints[threadIdx.x], local[threadIdx.x]);

  atomicSub(&ints[8], v);
  atomicMax(&ints[9], v);
  atomicMin(&ints[10], v);
  atomicAnd(&words[0], ~(1u << (v & 15)));
  atomicOr(&words[1], 1u << (v & 31));
  atomicXor(&words[2], static_cast<unsigned>(v));
  atomicMax(&words[3], static_cast<unsigned>(v));
  atomicMin(&words[4], static_cast<unsigned>(v));
  atomicInc(&words[5], 0xffffu);
  atomicDec(&words[6], 0xffffffu);
  atomicAdd(&longs[0], static_cast<unsigned long long>(v) * 3ull);
  atomicMax(reinterpret_cast<long long*>(&longs[1]), static_cast<long long>(v) << 24);
  atomicXor(&longs[2], static_cast<unsigned long long>(v) << 17);
  atomicAdd_block(&words[12 + blockIdx.x], 1u);
  atomicAdd_system(&words[8], 2u);
  // Whole numbers: no rounding, so no order.
  atomicAdd(&floats[0], static_cast<float>(v & 15));
  atomicAdd(&doubles_[0], static_cast<double>(v));
  atomicAdd(halves, __floats2half2_rn(static_cast<float>(v & 1), 0.0f));
  // A product of 32 bits by compare and swap, and a sum of 16 bits.
  unsigned old = *const_cast<volatile unsigned*>(&words[9]), seen;
  do {
    seen = old;
    old = atomicCAS(&words[9], seen, (seen | 1u) * (2u * (v & 7) + 1u));
  } while (old != seen);
  unsigned short before = *const_cast<volatile unsigned short*>(shorts), found;
  do {
    found = before;
    before = atomicCAS(shorts, found, static_cast<unsigned short>(found + (v & 3)));
  } while (before != found);
  unsigned long long low = *const_cast<volatile unsigned long long*>(&longs[3]), was;
  do {
    was = low;
    low = atomicCAS(&longs[3], was, was + (static_cast<unsigned long long>(v & 31) << 32));
  } while (low != was);
  // A lock: one thread at a time.
  if (threadIdx.x == 0) {
    while (atomicExch(&words[10], 1u) != 0u) {
    }
    __threadfence();
    volatile unsigned* sum = &words[11];
    *sum = *sum + blockIdx.x + 1;
    __threadfence();
    atomicExch(&words[10], 0u);
  }
}
