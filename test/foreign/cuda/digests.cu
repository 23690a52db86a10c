// Digests and codes: SHA-256 of one block for each thread, CRC by tables in shared memory, a stream cipher, and a generator of numbers.
__constant__ unsigned rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ unsigned turned(unsigned x, int n) { return __funnelshift_r(x, x, n); }

extern "C" __global__ void sha_256(const unsigned* __restrict__ in, unsigned* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, h[8];
  for (int k = 0; k < 16; k++) w[k] = __byte_perm(in[16 * i + k], 0, 0x0123);
  for (int k = 0; k < 8; k++) h[k] = s[k];
#pragma unroll 1
  for (int r = 0; r < 64; r++) {
    if (r >= 16) {
      const unsigned a = w[(r + 1) & 15], b = w[(r + 14) & 15];
      w[r & 15] += (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[(r + 9) & 15] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    const unsigned t = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[r] + w[r & 15];
    const unsigned u = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; k--) s[k] = s[k - 1];
    s[4] += t;
    s[0] = t + u;
  }
  for (int k = 0; k < 8; k++) out[8 * i + k] = h[k] + s[k];
}

/** Bytes of a line by a table that the block makes first; lines have different lengths. */
extern "C" __global__ void crc_32(const unsigned char* __restrict__ in, unsigned* __restrict__ out, int longest) {
  __shared__ unsigned table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    unsigned c = k;
    for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
    table[k] = c;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned crc = ~0u;
  for (int k = 0; k < 1 + in[i * longest] % longest; k++) crc = table[(crc ^ in[i * longest + k]) & 255] ^ crc >> 8;
  out[i] = ~crc;
}

/** Philox: what a seed, a thread and a counter make; points in a circle counted by the block. */
extern "C" __global__ void monte_carlo(unsigned* __restrict__ hits, unsigned* __restrict__ last, unsigned seed, int samples) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned inside = 0, c[4];
  for (int k = 0; k < samples; k++) {
    unsigned key[2] = {seed, 0xcafe};
    c[0] = k, c[1] = 0, c[2] = i, c[3] = 1;
    for (int r = 0; r < 10; r++) {
      const unsigned h0 = __umulhi(0xd2511f53u, c[0]), l0 = 0xd2511f53u * c[0], h1 = __umulhi(0xcd9e8d57u, c[2]), l1 = 0xcd9e8d57u * c[2];
      c[0] = h1 ^ c[1] ^ key[0], c[1] = l1, c[2] = h0 ^ c[3] ^ key[1], c[3] = l0;
      key[0] += 0x9e3779b9u, key[1] += 0xbb67ae85u;
    }
    const float x = (c[0] >> 8) * 0x1p-24f, y = (c[1] >> 8) * 0x1p-24f;
    inside += x * x + y * y < 1;
  }
  last[i] = c[3];
  const unsigned sum = __reduce_add_sync(0xffffffff, inside);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, sum);
}
