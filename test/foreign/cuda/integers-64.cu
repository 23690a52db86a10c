// 64-bit integers: division and modulo (signed, unsigned, by constants), products of 128 bits, shifts, counts of bits.
extern "C" __global__ void integers_64(const unsigned long long* __restrict__ a, const unsigned long long* __restrict__ b,
                                       unsigned long long* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long x = a[i], y = b[i] >> (b[i] & 63);
  const long long s = static_cast<long long>(x), t = static_cast<long long>(y) | 1;
  unsigned long long* o = out + 16 * i;
  o[0] = y == 0 ? ~0ull : x / y;
  o[1] = y == 0 ? ~0ull : x % y;
  o[2] = static_cast<unsigned long long>(s / t);
  o[3] = static_cast<unsigned long long>(s % t);
  o[4] = x / 1000000007ull;
  o[5] = static_cast<unsigned long long>(s % 97);
  o[6] = __umul64hi(x, y) ^ static_cast<unsigned long long>(__mul64hi(s, t));
  o[7] = x * y + 12345678901234567ull;
  o[8] = __popcll(x) | (__clzll(y) << 8) | (__ffsll(x) << 16);
  o[9] = __brevll(x);
  o[10] = (x << (y & 63)) | (x >> (-y & 63));
  o[11] = static_cast<unsigned long long>(s >> (y & 31));
  const unsigned __int128 wide = static_cast<unsigned __int128>(x) * y + x;
  o[12] = static_cast<unsigned long long>(wide >> 64) + static_cast<unsigned long long>(wide);
  o[13] = static_cast<unsigned long long>(static_cast<__int128>(s) - (static_cast<__int128>(t) << 3) >> 32);
  o[14] = x > y ? min(x, y + 77) : max(s, t);
  o[15] = static_cast<unsigned>(x) / (static_cast<unsigned>(y) | 1) + static_cast<unsigned>(__clz(x) + __popc(y) + __brev(x));
}
