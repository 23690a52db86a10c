// An FFT of 256 points for each block: bits reversed on the way in, butterflies in shared memory, twiddles from sincospif.
extern "C" __global__ void fft(const float2* __restrict__ in, float2* __restrict__ out) {
  __shared__ float2 data[256];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 128) data[__brev(i) >> 24] = in[blockIdx.x * 256 + i];
  __syncthreads();
  for (int half = 1; half < 256; half *= 2) {
    const int k = t & (half - 1), i = 2 * (t - k) + k;
    float s, c;
    sincospif(-static_cast<float>(k) / half, &s, &c);
    const float2 a = data[i], b = data[i + half];
    const float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    data[i] = make_float2(a.x + w.x, a.y + w.y);
    data[i + half] = make_float2(a.x - w.x, a.y - w.y);
    __syncthreads();
  }
  for (int i = t; i < 256; i += 128) out[blockIdx.x * 256 + i] = data[i];
}
