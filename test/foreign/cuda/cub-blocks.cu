// CUB's algorithms of blocks and warps, as nvcc compiles its headers.
#include <cub/cub.cuh>
#include <cuda/std/functional>

struct Larger {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

/** Loads transposed, scans, stores through warps; then the running maximum of the same. */
extern "C" __global__ void __launch_bounds__(128) cub_scan(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ maxima, int* __restrict__ sums) {
  using Load = cub::BlockLoad<int, 128, 7, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 128, 7, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  using Raking = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
  __shared__ union {
    Load::TempStorage load;
    Store::TempStorage store;
    Scan::TempStorage scan;
    Raking::TempStorage raking;
  } memory;
  int v[7], w[7];
  int total = 0;
  const int base = blockIdx.x * 128 * 7;
  Load(memory.load).Load(in + base, v);
  __syncthreads();
  Scan(memory.scan).ExclusiveSum(v, w, total);
  __syncthreads();
  Store(memory.store).Store(out + base, w);
  __syncthreads();
  Raking(memory.raking).InclusiveScan(v, w, Larger());
  __syncthreads();
  Store(memory.store).Store(maxima + base, w);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/** Keys with values, by the bits from 4 on, descending. */
extern "C" __global__ void __launch_bounds__(128) cub_radix_sort(const unsigned* __restrict__ keys, const unsigned short* __restrict__ values,
                                          unsigned* __restrict__ sorted, unsigned short* __restrict__ moved) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 5, unsigned short>;
  __shared__ Sort::TempStorage memory;
  unsigned k[5];
  unsigned short v[5];
  const int base = blockIdx.x * 640;
  cub::LoadDirectBlocked(threadIdx.x, keys + base, k);
  cub::LoadDirectBlocked(threadIdx.x, values + base, v);
  Sort(memory).SortDescendingBlockedToStriped(k, v, 4, 32);
  cub::StoreDirectStriped<128>(threadIdx.x, sorted + base, k);
  cub::StoreDirectStriped<128>(threadIdx.x, moved + base, v);
}

extern "C" __global__ void __launch_bounds__(128) cub_merge_sort(const long long* __restrict__ in, long long* __restrict__ out) {
  using Sort = cub::BlockMergeSort<long long, 128, 3>;
  __shared__ Sort::TempStorage memory;
  long long k[3];
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 384, k);
  Sort(memory).Sort(k, [](long long a, long long b) { return a < b; });
  cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 384, k);
}

extern "C" __global__ void __launch_bounds__(96) cub_reduce(const int* __restrict__ in, int* __restrict__ out) {
  using Commutes = cub::BlockReduce<int, 96, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
  using Warps = cub::BlockReduce<int, 96, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  using Half = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  __shared__ Commutes::TempStorage commutes;
  __shared__ Warps::TempStorage warps;
  __shared__ Half::TempStorage half[6];
  __shared__ Scan::TempStorage scan[3];
  const int t = threadIdx.x, v = in[blockIdx.x * 96 + t];
  const int sum = Commutes(commutes).Sum(v), most = Warps(warps).Reduce(v, Larger(), 90);
  const int part = Half(half[t / 16]).HeadSegmentedSum(v, v % 4 == 0);
  int inclusive, exclusive;
  Scan(scan[t / 32]).Scan(v & 255, inclusive, exclusive, 7, cuda::std::plus<>());
  int* o = out + 4 * (blockIdx.x * 96 + t);
  o[0] = t == 0 ? sum : 0;
  o[1] = t == 0 ? most : 0;
  o[2] = v % 4 == 0 || t % 16 == 0 ? part : 0;
  o[3] = inclusive * 3 + exclusive;
}

/** Histogram, neighbours that differ, an exchange, and a run-length code. */
extern "C" __global__ void __launch_bounds__(64) cub_histogram(const unsigned char* __restrict__ in, unsigned* __restrict__ bins,
                                         int* __restrict__ flags, unsigned char* __restrict__ striped, int* __restrict__ decoded) {
  using Histogram = cub::BlockHistogram<unsigned char, 64, 4, 256, cub::BLOCK_HISTO_SORT>;
  using Differ = cub::BlockDiscontinuity<unsigned char, 64>;
  using Exchange = cub::BlockExchange<unsigned char, 64, 4>;
  using Decode = cub::BlockRunLengthDecode<unsigned char, 64, 1, 4>;
  __shared__ Histogram::TempStorage histogram;
  __shared__ Differ::TempStorage differ;
  __shared__ Exchange::TempStorage exchange;
  __shared__ Decode::TempStorage decode;
  __shared__ unsigned counts[256];
  unsigned char v[4], w[4];
  int f[4];
  const int t = threadIdx.x, base = blockIdx.x * 256;
  cub::LoadDirectBlocked(t, in + base, v);
  for (int k = 0; k < 4; k++) w[k] = v[k];
  Histogram(histogram).Histogram(w, counts);
  __syncthreads();
  for (int k = t; k < 256; k += 64) atomicAdd(&bins[k], counts[k]);
  for (int k = 0; k < 4; k++) w[k] = v[k] / 64;
  Differ(differ).FlagHeads(f, w, cuda::std::not_equal_to<>());
  cub::StoreDirectBlocked(t, flags + base, f);
  Exchange(exchange).BlockedToStriped(v, w);
  cub::StoreDirectBlocked(t, striped + base, w);
  unsigned char value[1] = {v[0]};
  unsigned length[1] = {v[1] % 5u};
  unsigned total = 0;
  Decode coder(decode, value, length, total);
  int* to = decoded + blockIdx.x * 256;
  for (unsigned from = 0; from < total; from += 256) {
    unsigned char items[4];
    coder.RunLengthDecode(items, from);
    for (int k = 0; k < 4; k++)
      if (from + 4 * t + k < total) to[from + 4 * t + k] = items[k];
    __syncthreads();
  }
}
