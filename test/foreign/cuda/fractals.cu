// Escape times, in f32 and f64, with lanes that leave their loops one by one; and a Julia set by unsigned fixed-point numbers.
extern "C" __global__ void mandelbrot(int* __restrict__ steps, int width, int height, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = -2.2f + 3.2f * x / width, cy = -1.2f + 2.4f * y / height;
  float a = 0, b = 0;
  int n = 0;
  while (n < most && a * a + b * b < 4.0f) {
    const float next = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = next;
    n++;
  }
  double p = 0, q = 0;
  int m = 0;
  for (; m < most && p * p + q * q < 4.0; m++) {
    const double next = p * p - q * q + cx;
    q = 2 * p * q + cy;
    p = next;
  }
  long long u = static_cast<long long>(cx * 65536), v = static_cast<long long>(cy * 65536);
  int k = 0;
  for (; k < most && (u * u + v * v) >> 32 < 4; k++) {
    const long long next = ((u * u - v * v) >> 16) - 26214;
    v = ((u * v) >> 15) + 10485;
    u = next;
  }
  steps[y * width + x] = n | m << 8 | k << 16;
}
