// Tables in constant memory with first values, pointers among them; a table in global memory that a kernel writes.
struct Entry {
  char kind;
  short weight;
  double value;
};
__constant__ Entry entries[6] = {{'a', 1, 0.5}, {'b', -2, 1.25}, {'c', 300, -7.0}, {'d', 4, 1e-3}, {'e', -5, 2e10}, {'f', 6, 3.0}};
__constant__ int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__constant__ const int* rows[2] = {primes + 4, primes};
__constant__ float weights[32];
__device__ int counters[4] = {10, 20, 30, 40};
__device__ const char text[] = "constants";

extern "C" __global__ void constants(double* __restrict__ out, int* __restrict__ sums) {
  const int i = threadIdx.x;
  const Entry e = entries[i % 6];
  out[i] = e.value * e.weight + e.kind + weights[i % 32];
  const int* row = rows[i & 1];
  sums[i] = row[i % 12] * primes[(i * 5) % 16] + text[i % 9];
  atomicAdd(&counters[i % 4], i);
  __syncthreads();
  if (i < 4) sums[blockDim.x + i] = counters[i];
}
