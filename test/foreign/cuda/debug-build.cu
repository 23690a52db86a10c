// Compiled without optimisation and with debug information: everything in local memory, calls for each small function.
template <class T>
struct Stack {
  T items[32];
  int depth = 0;
  __device__ void push(const T& item) { items[depth++] = item; }
  __device__ T pop() { return items[--depth]; }
  __device__ bool empty() const { return depth == 0; }
};

struct Node {
  int from, to;
};

/** Sums over a tree of ranges, without recursion; then a reduction of the block. */
extern "C" __global__ void debug_build(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int sums[64];
  Stack<Node> stack;
  int total = 0;
  stack.push({static_cast<int>(threadIdx.x) % n, n});
  while (!stack.empty()) {
    const Node node = stack.pop();
    if (node.to - node.from <= 2) {
      for (int i = node.from; i < node.to; i++) total = total * 3 + in[i];
      continue;
    }
    const int middle = (node.from + node.to) / 2;
    stack.push({node.from, middle});
    stack.push({middle, node.to});
  }
  sums[threadIdx.x] = total;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = total ^ sums[0];
}
