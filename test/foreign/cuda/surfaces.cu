// Surface loads and stores of every geometry, beside the edges too; formatted stores and reductions, which only PTX has.
namespace {
__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
}  // namespace

// A blur of bytes: loads clamp, threads outside store nothing.
extern "C" __global__ void blur(cudaSurfaceObject_t in, cudaSurfaceObject_t out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int sum[4] = {0, 0, 0, 0};
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const uchar4 v = surf2Dread<uchar4>(in, 4 * (x + dx), y + dy, cudaBoundaryModeClamp);
      sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
    }
  surf2Dwrite(make_uchar4(sum[0] / 9, sum[1] / 9, sum[2] / 9, sum[3] / 9), out, 4 * x, y, cudaBoundaryModeZero);
}

// Widths from one to sixteen bytes.
extern "C" __global__ void widths(cudaSurfaceObject_t bytes, cudaSurfaceObject_t quads, int* out) {
  const int i = thread();
  const unsigned char b = surf1Dread<unsigned char>(bytes, i, cudaBoundaryModeZero);
  const short s = surf1Dread<short>(bytes, 2 * i, cudaBoundaryModeZero);
  const int w = surf1Dread<int>(bytes, 4 * i, cudaBoundaryModeZero);
  const long long l = surf1Dread<long long>(bytes, 8 * i, cudaBoundaryModeZero);
  const int4 q = surf1Dread<int4>(quads, 16 * i, cudaBoundaryModeClamp);
  out[6 * i] = b + s;
  out[6 * i + 1] = w;
  out[6 * i + 2] = static_cast<int>(l >> 32);
  out[6 * i + 3] = q.x ^ q.y;
  out[6 * i + 4] = q.z;
  out[6 * i + 5] = q.w;
}

extern "C" __global__ void volumes(cudaSurfaceObject_t volume, cudaSurfaceObject_t rows, cudaSurfaceObject_t images,
                                   cudaSurfaceObject_t cube, cudaSurfaceObject_t cubes, int* out) {
  const int i = thread(), x = i % 4, y = i / 4 % 4, z = i / 16;
  out[5 * i] = surf3Dread<int>(volume, 4 * (x - 1), y, z, cudaBoundaryModeZero);
  out[5 * i + 1] = surf1DLayeredread<int>(rows, 4 * x, z, cudaBoundaryModeZero);
  out[5 * i + 2] = surf2DLayeredread<int>(images, 4 * x, y - 1, z, cudaBoundaryModeClamp);
  out[5 * i + 3] = surfCubemapread<int>(cube, 4 * x, y, z % 6, cudaBoundaryModeTrap);
  out[5 * i + 4] = surfCubemapLayeredread<int>(cubes, 4 * x, y, z % 12, cudaBoundaryModeTrap);
}

extern "C" __global__ void fill_volumes(cudaSurfaceObject_t volume, cudaSurfaceObject_t images, cudaSurfaceObject_t cube) {
  const int i = thread(), x = i % 8, y = i / 8 % 8, z = i / 64;
  surf3Dwrite(1000 + i, volume, 4 * x, y, z, cudaBoundaryModeZero);
  surf2DLayeredwrite(make_float2(i, -i), images, 8 * x, y, z, cudaBoundaryModeZero);
  surfCubemapwrite(static_cast<unsigned short>(i), cube, 2 * x, y, z, cudaBoundaryModeZero);
}

// Components beyond those of the texel are ignored; `beyond` gets values that its bytes cannot hold.
extern "C" __global__ void formatted(cudaSurfaceObject_t floats, cudaSurfaceObject_t halves, cudaSurfaceObject_t words,
                                     cudaSurfaceObject_t bytes, cudaSurfaceObject_t beyond) {
  const int i = thread(), x = i % 8, y = i / 8;
  const float f = i * 0.37f - 5.0f;
  asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(floats), "r"(x), "r"(y), "f"(f), "f"(-f), "f"(f + 1.0f),
               "f"(f * f));
  asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(halves), "r"(x), "r"(y), "f"(f), "f"(-f),
               "f"(f * 1000.0f), "f"(f * f));
  asm volatile("sust.p.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" ::"l"(words), "r"(x), "r"(y), "r"(i), "r"(-i));
  asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(bytes), "r"(x), "r"(y), "r"(i), "r"(i * 4), "r"(255),
               "r"(i * i & 255));
  asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(beyond), "r"(x), "r"(y), "r"(i * 100 - 3000),
               "r"(3000 - i * 100), "r"(256), "r"(-1));
}

extern "C" __global__ void reductions(cudaSurfaceObject_t unsigned_words, cudaSurfaceObject_t signed_words, cudaSurfaceObject_t longs,
                                      const int* in) {
  const int i = thread(), x = i % 4, v = in[i];
  asm volatile("sured.b.add.2d.u32.zero [%0, {%1, 0}], %2;" ::"l"(unsigned_words), "r"(4 * x), "r"(v));
  asm volatile("sured.b.max.2d.u32.zero [%0, {%1, 1}], %2;" ::"l"(unsigned_words), "r"(4 * x), "r"(v));
  asm volatile("sured.b.and.2d.b32.zero [%0, {%1, 2}], %2;" ::"l"(unsigned_words), "r"(4 * x), "r"(v | 0xf0f0));
  asm volatile("sured.b.or.2d.b32.zero [%0, {%1, 3}], %2;" ::"l"(unsigned_words), "r"(4 * x), "r"(v & 0x1111));
  asm volatile("sured.b.min.2d.s32.zero [%0, {%1, 0}], %2;" ::"l"(signed_words), "r"(4 * x), "r"(v));
  asm volatile("sured.p.max.2d.b32.zero [%0, {%1, 1}], %2;" ::"l"(signed_words), "r"(x), "r"(v));
  asm volatile("sured.p.add.2d.b32.zero [%0, {%1, 9}], %2;" ::"l"(signed_words), "r"(x), "r"(v));
  asm volatile("sured.b.add.1d.u64.zero [%0, {%1}], %2;" ::"l"(longs), "r"(8 * x), "l"(static_cast<long long>(v) << 20));
}
