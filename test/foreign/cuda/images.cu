// Images and convolutions: a transposed convolution, bicubic scaling with borders, an 8 x 8 cosine transform, im2col by index.
extern "C" __global__ void conv_transposed(const float* __restrict__ in, const float* __restrict__ kernel, float* __restrict__ out, int channels,
                                           int height, int width) {
  constexpr int size = 4, stride = 2, pad = 1;
  const int ow = width * 2, oh = height * 2;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, filter = blockIdx.z;
  if (x >= ow || y >= oh) return;
  float sum = 0;
  for (int c = 0; c < channels; c++)
    for (int ky = 0; ky < size; ky++) {
      const int sy = y + pad - ky;
      if (sy % stride != 0 || sy < 0 || sy / stride >= height) continue;
      for (int kx = 0; kx < size; kx++) {
        const int sx = x + pad - kx;
        if (sx % stride != 0 || sx < 0 || sx / stride >= width) continue;
        sum += in[(c * height + sy / stride) * width + sx / stride] * kernel[((c * gridDim.z + filter) * size + ky) * size + kx];
      }
    }
  out[(filter * oh + y) * ow + x] = sum;
}

__device__ float weight(float x) {
  x = fabsf(x);
  if (x <= 1) return (1.25f * x - 2.25f) * x * x + 1;
  return x < 2 ? ((-0.75f * x + 3.75f) * x - 6) * x + 3 : 0.0f;
}

extern "C" __global__ void bicubic(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int width, int height, int ow, int oh) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= ow * oh) return;
  const float sx = (i % ow + 0.5f) * width / ow - 0.5f, sy = (i / ow + 0.5f) * height / oh - 0.5f;
  const int x = static_cast<int>(floorf(sx)), y = static_cast<int>(floorf(sy));
  float sum = 0;
  for (int dy = -1; dy <= 2; dy++)
    for (int dx = -1; dx <= 2; dx++)
      sum += weight(sx - (x + dx)) * weight(sy - (y + dy)) * in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
  out[i] = static_cast<unsigned char>(__float2uint_rn(fminf(fmaxf(sum, 0.0f), 255.0f)));
}

/** The transform of JPEG, in whole numbers: rows, then columns, of eight blocks at a time. */
extern "C" __global__ void cosine_transform(const short* __restrict__ in, short* __restrict__ out) {
  __shared__ int table[8][8], data[8][8][9];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, base = (blockIdx.x * 8 + z) * 64;
  if (z == 0) table[y][x] = __float2int_rn(cospif((2 * x + 1) * y / 16.0f) * (y == 0 ? 2896.309f : 4096.0f));
  data[z][y][x] = in[base + y * 8 + x] >> 6;
  __syncthreads();
  for (int pass = 0; pass < 2; pass++) {
    int sum = 0;
    for (int k = 0; k < 8; k++) sum += table[x][k] * data[z][y][k];
    __syncthreads();
    data[z][x][y] = (sum + 4096) >> 13;
    __syncthreads();
  }
  out[base + y * 8 + x] = static_cast<short>(data[z][y][x]);
}
