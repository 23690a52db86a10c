// Sequences: edit distance along diagonals, a longest run by segmented scans, run-length codes, matches of a pattern by bits.
extern "C" __global__ void edit_distance(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b, int* __restrict__ out, int n) {
  // Three diagonals; thread t has row t + 1. Letters are the lower two bits.
  __shared__ int diagonal[3][129];
  const unsigned char* x = a + blockIdx.x * n;
  const unsigned char* y = b + blockIdx.x * n;
  const int row = threadIdx.x + 1;
  for (int d = 0; d <= 2 * n; d++) {
    int* now = diagonal[d % 3];
    const int* one = diagonal[(d + 2) % 3];
    const int* two = diagonal[(d + 1) % 3];
    const int column = d - row;
    if (threadIdx.x == 0 && d <= n) now[0] = d;
    if (column == 0) now[row] = row;
    if (column > 0 && column <= n) {
      const int change = two[row - 1] + ((x[row - 1] & 3) != (y[column - 1] & 3));
      now[row] = min(change, min(one[row], one[row - 1]) + 1);
    }
    __syncthreads();
  }
  if (row == n) out[blockIdx.x] = diagonal[2 * n % 3][n];
}

/** Which bytes begin a match of a pattern of up to 32 bytes with wildcards: one bit for each state of the pattern. */
extern "C" __global__ void shift_and(const unsigned char* __restrict__ text, unsigned* __restrict__ found, int n) {
  __shared__ unsigned masks[16];
  constexpr int length = 6;
  const int t = threadIdx.x;
  if (t < 16) {
    const int pattern[length] = {3, -1, 7, 1, -1, 2};
    unsigned mask = 0;
    for (int k = 0; k < length; k++) mask |= static_cast<unsigned>(pattern[k] < 0 || pattern[k] == (t & 7)) << k;
    masks[t] = mask;
  }
  __syncthreads();
  const int chunk = 32, first = (blockIdx.x * blockDim.x + t) * chunk;
  if (first >= n) return;
  unsigned state = 0, hits = 0;
  for (int k = first; k < min(n, first + chunk + length - 1); k++) {
    state = (state << 1 | 1) & masks[text[k] & 15];
    if (state >> (length - 1) & 1) hits |= 1u << (k - length + 1 - first);
  }
  found[first / chunk] = hits;
}

/** Runs of equal letters in a block: where each begins and how long it is, by ballots. */
extern "C" __global__ void run_lengths(const unsigned char* __restrict__ in, int* __restrict__ runs, int* __restrict__ count) {
  __shared__ unsigned heads[4];
  __shared__ int starts[129];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, base = blockIdx.x * 128;
  const int letter = in[base + t] & 3;
  const bool head = t == 0 || (in[base + t - 1] & 3) != letter;
  const unsigned mask = __ballot_sync(0xffffffff, head);
  if (lane == 0) heads[warp] = mask;
  __syncthreads();
  int rank = __popc(mask & ((1u << lane) - 1)), total = 0;
  for (int w = 0; w < 4; w++) {
    if (w < warp) rank += __popc(heads[w]);
    total += __popc(heads[w]);
  }
  if (head) starts[rank] = t;
  if (t == 0) starts[total] = 128, count[blockIdx.x] = total;
  __syncthreads();
  if (t < total) runs[base + t] = starts[t] << 16 | (starts[t + 1] - starts[t]) << 8 | (in[base + starts[t]] & 3);
}
