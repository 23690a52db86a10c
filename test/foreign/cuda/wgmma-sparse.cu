// Products with a sparse A: metadata from random words, of every kind of type; A from shared memory and from registers.
#include <cstdint>

namespace {
__shared__ alignas(1024) unsigned char tile[64 * 32 + 8 * 64];

__device__ uint64_t descriptor(const void* at, uint64_t leading, uint64_t stride) {
  const uint64_t address = static_cast<uint64_t>(__cvta_generic_to_shared(at));
  return (address & 0x3ffff) >> 4 | leading >> 4 << 16 | stride >> 4 << 32;
}

// Rows of bytes in 8 x 16 byte cores: those of a row `rows` * 16 bytes apart.
__device__ void put(unsigned char* to, const unsigned char* from, int rows, int row_bytes) {
  for (int i = threadIdx.x; i < rows * row_bytes; i += blockDim.x) {
    const int row = i / row_bytes, byte = i % row_bytes;
    to[byte / 16 * rows * 16 + row * 16 + byte % 16] = from[i];
  }
}

// Four bits of chance as two different indices, the lower one first, or as the place of one of two.
__device__ uint32_t metadata(uint32_t chance, bool single) {
  const uint32_t pairs[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  uint32_t found = 0;
  for (int i = 0; i < 8; i++) {
    const uint32_t x = chance >> (4 * i) & 15;
    found |= (single ? (x & 1 ? 0xe : 0x4) : pairs[x % 6]) << (4 * i);
  }
  return found;
}

struct Operands {
  uint64_t a, b;
  uint32_t e;
  uint32_t fragments[4];
};

__device__ Operands prepare(const unsigned char* a, const unsigned char* b, const uint32_t* chance, bool single) {
  unsigned char* const b_tile = tile + 64 * 32;
  put(tile, a, 64, 32);
  put(b_tile, b, 8, 64);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  Operands o{descriptor(tile, 64 * 16, 128), descriptor(b_tile, 8 * 16, 128), metadata(chance[threadIdx.x], single), {}};
  // Registers 0 and 1: rows of the group and eight on; 2 and 3: 16 bytes on.
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, byte = threadIdx.x % 4 * 4;
  for (int r = 0; r < 4; r++)
    o.fragments[r] = *reinterpret_cast<const uint32_t*>(a + (row + 8 * (r & 1)) * 32 + byte + 16 * (r >> 1));
  return o;
}

template <typename T>
__device__ void store(const T (&d)[4], T* out) {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (int r = 0; r < 4; r++) out[(row + 8 * (r >> 1)) * 8 + column + (r & 1)] = d[r];
}
}  // namespace

// Nothing of D is computed below the fence.
#define PIN(letter) asm volatile("" : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3])::"memory");
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define WAIT asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
#define SHARED(shape, letter, selector, scales)                                                                             \
  asm volatile("wgmma.mma_async.sp.sync.aligned." shape " {%0, %1, %2, %3}, %4, %5, %6, " #selector ", 0" scales ";"         \
               : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3]) : "l"(o.a), "l"(o.b), "r"(o.e));
#define REGISTERS(shape, letter, selector, scales)                                                                          \
  asm volatile("wgmma.mma_async.sp.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %9, " #selector ", 0"      \
               scales ";"                                                                                                   \
               : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3])                                      \
               : "r"(o.fragments[0]), "r"(o.fragments[1]), "r"(o.fragments[2]), "r"(o.fragments[3]), "l"(o.b), "r"(o.e));
#define SPARSE(T, letter, zero, single, shape, selector, scales_shared, scales_registers)                                     \
  const Operands o = prepare(a, b, chance, single);                                                                         \
  T d[4] = {zero, zero, zero, zero};                                                                                        \
  PIN(letter) FENCE SHARED(shape, letter, 0, scales_shared) WAIT store(d, out);                                             \
  PIN(letter) FENCE REGISTERS(shape, letter, selector, scales_registers) WAIT store(d, from_registers);

extern "C" __global__ void __launch_bounds__(128)
    sparse_f16(const unsigned char* a, const unsigned char* b, const uint32_t* chance, float* out, float* from_registers) {
  SPARSE(float, "f", 0.0f, false, "m64n8k32.f32.f16.f16", 1, ", 1, 1, 0, 0", ", 1, 1, 0")
}

extern "C" __global__ void __launch_bounds__(128)
    sparse_bf16(const unsigned char* a, const unsigned char* b, const uint32_t* chance, float* out, float* from_registers) {
  SPARSE(float, "f", 0.0f, false, "m64n8k32.f32.bf16.bf16", 1, ", 1, -1, 0, 0", ", 1, 1, 0")
}

extern "C" __global__ void __launch_bounds__(128)
    sparse_tf32(const unsigned char* a, const unsigned char* b, const uint32_t* chance, float* out, float* from_registers) {
  SPARSE(float, "f", 0.0f, true, "m64n8k16.f32.tf32.tf32", 1, ", 1, 1", ", 1, 1")
}

extern "C" __global__ void __launch_bounds__(128)
    sparse_e4m3(const unsigned char* a, const unsigned char* b, const uint32_t* chance, float* out, float* from_registers) {
  SPARSE(float, "f", 0.0f, false, "m64n8k64.f32.e4m3.e5m2", 0, ", 1, 1", ", -1, 1")
}

extern "C" __global__ void __launch_bounds__(128)
    sparse_s8(const unsigned char* a, const unsigned char* b, const uint32_t* chance, int* out, int* from_registers) {
  SPARSE(int, "r", 0, false, "m64n8k64.s32.s8.u8", 0, "", "")
}
