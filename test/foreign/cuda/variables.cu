// Variables of the module: managed, of the device, constant tables of structures, and addresses of one in another.
struct Entry {
  short key;
  double factor;
  const int* where;
};
__managed__ int managed[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int table[4] = {10, 20, 30, 40};
__device__ int counted;
__constant__ Entry entries[3] = {{1, 0.5, table}, {2, -2.0, table + 2}, {3, 1e-3, &table[3]}};
__device__ const char* const words[3] = {"warp", "block", "grid"};

extern "C" __global__ void variables(const int* __restrict__ in, int* __restrict__ out, double* __restrict__ scaled) {
  const int t = threadIdx.x, v = in[t];
  atomicAdd(&managed[t & 7], v & 255);
  atomicAdd(&counted, 1);
  __syncthreads();
  const Entry& e = entries[(v & 0x7fffffff) % 3];
  int hash = 0;
  for (const char* c = words[(v & 0x7fffffff) % 3]; *c != 0; c++) hash = hash * 33 + *c;
  out[3 * t] = managed[(t + 1) & 7] + counted;
  out[3 * t + 1] = e.key * 1000 + *e.where;
  out[3 * t + 2] = hash;
  scaled[t] = e.factor * v;
}
