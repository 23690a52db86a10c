// A structure by value as the parameter: pointers, an array that is indexed by threads, odd sizes; and a copy that is written to.
struct Table {
  float* out;
  short small[6];
  double factor;
  unsigned char flags[3];
  const int* in;
  int count;
};

extern "C" __global__ void structures(Table table, char sign, const short2 shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= table.count) return;
  table.small[i % 6] += static_cast<short>(i);
  int sum = 0;
  for (int k = 0; k < 6; k++) sum += table.small[k] * (k + 1);
  table.out[i] = static_cast<float>(table.factor * table.in[i]) + sum * sign + table.flags[i % 3] + shift.x - shift.y;
}
