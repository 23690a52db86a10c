// Loops of different length in every lane, nested, with early exits: how often 3n + 1 steps, and a small prime sieve by trial.
extern "C" __global__ void collatz(unsigned long long first, int* __restrict__ steps, unsigned* __restrict__ prime_counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long n = first + i;
  int count = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    if (++count > 500) break;
  }
  steps[i] = count;
  unsigned primes = 0;
  for (unsigned candidate = 2; candidate < 40u + i % 50; candidate++) {
    bool prime = true;
    for (unsigned d = 2; d * d <= candidate; d++)
      if (candidate % d == 0) {
        prime = false;
        break;
      }
    if (!prime) continue;
    primes++;
  }
  prime_counts[i] = primes;
}
