// Kernels of a warpsmith build, launched through the CUDA driver. Written by `warpsmith build`: do not edit.
//
//     #include "@NAME@.hpp"
//     @NAME@::Kernels kernels("dist");   // the folder; the current CUDA context's device, else device 0
//     kernels.@FIRST@(...);
//
// C++17. Needs no CUDA toolkit: the driver, libcuda.so.1, is loaded when the first Kernels is made (link with -ldl where the C
// library has it apart). Stands beside cuda.h and cuda_runtime.h: CUstream and cudaStream_t are taken as they are.
// Errors are @NAME@::Error; their codes stand in Warpsmith's docs/errors.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace @NAME@ {

/// What is wrong with a build, its device or a launch. `code()` is that of docs/errors.md; empty where the driver refuses.
class Error : public std::runtime_error {
 public:
  Error(std::string code, const std::string& message)
      : std::runtime_error(code.empty() ? message : code + "  " + message), code_(std::move(code)) {}
  const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

/// Types of elements.
enum class DType { f64, i64, u64, f32, tf32, i32, u32, f16, bf16, i16, u16, e4m3, e5m2, i8, u8, boolean };

/// Memory of the device and how its elements lie: shape outermost first; strides in elements, row-major where none are given.
struct Tensor {
  std::uint64_t data;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;

  Tensor(std::uint64_t address, DType type, std::vector<std::int64_t> extents, std::vector<std::int64_t> steps = {})
      : data(address), dtype(type), shape(std::move(extents)), strides(std::move(steps)) {
    if (!strides.empty()) return;
    strides.resize(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      strides[i] = step;
      step *= shape[i];
    }
  }
  Tensor(const void* address, DType type, std::vector<std::int64_t> extents, std::vector<std::int64_t> steps = {})
      : Tensor(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)), type, std::move(extents), std::move(steps)) {}
};

/// Where and how one launch runs.
struct Launch {
  /// A CUstream or cudaStream_t; nullptr: the default stream.
  void* stream = nullptr;
  /// Blocks, where the build has no grid; else they come before that. {0, 0, 0}: as the build says.
  std::array<unsigned, 3> grid = {0, 0, 0};
  /// Let it start before the previous kernel of its stream ends.
  bool overlap_previous = false;
};

namespace detail {

using Handle = void*;
constexpr int manifest_version = @VERSION@;

inline const char* name_of(DType type) {
  static const char* const names[] = {"f64", "i64",  "u64", "f32", "tf32", "i32",  "u32", "f16",
                                      "bf16", "i16", "u16", "e4m3", "e5m2", "i8", "u8", "bool"};
  return names[static_cast<int>(type)];
}

inline std::int64_t bytes_of(DType type) {
  if (type <= DType::u64) return 8;
  if (type <= DType::u32) return 4;
  return type <= DType::u16 ? 2 : 1;
}

/// A tensor map as the hardware has it: innermost first, strides in bytes. Numbers are those of cuda.h.
struct Map {
  bool im2col;
  int dtype;
  std::vector<std::uint64_t> dims, strides;
  std::vector<std::uint32_t> element_strides, box;
  std::vector<int> lower, upper;
  unsigned channels, pixels;
  int interleave, swizzle, promotion, fill;
  bool resized;
};

/// What a launch is given. -1 in a shape or strides: the launch decides.
struct Parameter {
  const char* name;
  bool tensor;
  DType dtype;
  std::vector<std::int64_t> shape, strides;
  std::uint64_t alignment;
};

enum class From { address, scalar, constant, shape, stride, map };

/// A parameter of the entry.
struct Slot {
  From from;
  std::size_t bytes, of, dimension;
  int map;
  std::uint64_t value;  // of a constant, the first byte lowest
};

/// A number or a boolean, as its bytes.
struct Scalar {
  std::array<unsigned char, 8> bytes{};
  std::int64_t number = 0;
};

struct Argument {
  const Tensor* tensor = nullptr;
  Scalar scalar;
};

template <typename T>
Argument scalar_of(T value) {
  Argument argument;
  std::memcpy(argument.scalar.bytes.data(), &value, sizeof value);
  argument.scalar.number = static_cast<std::int64_t>(value);
  return argument;
}

/// Floats are of no use to a grid.
template <typename T>
Argument float_of(T value) {
  Argument argument;
  std::memcpy(argument.scalar.bytes.data(), &value, sizeof value);
  return argument;
}

inline Argument tensor_of(const Tensor& tensor) {
  Argument argument;
  argument.tensor = &tensor;
  return argument;
}

/// The nearest bf16, ties to even.
inline Argument bf16_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value) return float_of<std::uint16_t>(0x7fc0);
  return float_of(static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16));
}

/// The nearest f16, ties to even.
inline Argument f16_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
  std::uint32_t half;
  if (rest > 0x7f800000u) {
    return float_of<std::uint16_t>(0x7e00);
  } else if (rest >= 0x477ff000u) {
    half = 0x7c00u;
  } else if (rest >= 0x38800000u) {
    half = (rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13;
  } else if (rest < 0x33000000u) {
    half = 0;
  } else {
    const std::uint32_t shift = 126u - (rest >> 23), mantissa = (rest & 0x7fffffu) | 0x800000u;
    const std::uint32_t kept = mantissa >> shift, lost = mantissa & ((1u << shift) - 1u), middle = 1u << (shift - 1u);
    half = kept + (lost > middle || (lost == middle && (kept & 1u)) ? 1u : 0u);
  }
  return float_of(static_cast<std::uint16_t>(sign | half));
}

inline std::int64_t cdiv(std::int64_t a, std::int64_t b) { return a / b + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0); }
inline std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t most(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

using Grid = std::array<std::int64_t, 3>;

/// A kernel, as its manifest has it.
struct Info {
  const char* name;
  const char* entry;
  const char* ptx_file;
  const char* ptx_hash;
  const char* cubin_file;  // nullptr where none was made
  const char* cubin_hash;
  std::vector<Parameter> parameters;
  std::vector<Slot> slots;
  std::vector<Map> maps;
  Grid (*grid)(const std::vector<Argument>&);  // nullptr where each launch says it
  std::array<unsigned, 3> block, cluster;
  unsigned shared_bytes;
  bool non_portable_cluster, cooperative, waits_for_previous;
};

/// SHA-256 (FIPS 180-4), in hexadecimal digits.
inline std::string sha256(const std::string& data) {
  static const std::uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
      0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
      0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
      0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
      0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
      0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  std::uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto turn = [](std::uint32_t x, int n) { return (x >> n) | (x << (32 - n)); };
  std::string text = data;
  text.push_back('\x80');
  while (text.size() % 64 != 56) text.push_back('\0');
  const std::uint64_t bits = static_cast<std::uint64_t>(data.size()) * 8;
  for (int i = 7; i >= 0; i--) text.push_back(static_cast<char>((bits >> (8 * i)) & 0xff));
  for (std::size_t at = 0; at < text.size(); at += 64) {
    std::uint32_t w[64];
    for (std::size_t i = 0; i < 16; i++) {
      w[i] = 0;
      for (std::size_t j = 0; j < 4; j++) w[i] = (w[i] << 8) | static_cast<unsigned char>(text[at + 4 * i + j]);
    }
    for (int i = 16; i < 64; i++) {
      const std::uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    std::uint32_t v[8];
    std::memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
      const std::uint32_t s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
      const std::uint32_t first = v[7] + s1 + choice + k[i] + w[i];
      const std::uint32_t s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
      const std::uint32_t second = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (int j = 7; j > 0; j--) v[j] = v[j - 1];
      v[4] += first;
      v[0] = first + second;
    }
    for (int j = 0; j < 8; j++) h[j] += v[j];
  }
  std::string digits;
  for (const std::uint32_t word : h)
    for (int i = 28; i >= 0; i -= 4) digits.push_back("0123456789abcdef"[(word >> i) & 15]);
  return digits;
}

/// The driver's functions (CUDA driver API, 12.0), as they are declared in cuda.h.
struct Driver {
  int (*cuInit)(unsigned);
  int (*cuDriverGetVersion)(int*);
  int (*cuGetErrorName)(int, const char**);
  int (*cuDeviceGet)(int*, int);
  int (*cuDeviceGetName)(char*, int, int);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuDevicePrimaryCtxRetain)(Handle*, int);
  int (*cuDevicePrimaryCtxRelease)(int);
  int (*cuCtxGetCurrent)(Handle*);
  int (*cuCtxGetDevice)(int*);
  int (*cuCtxPushCurrent)(Handle);
  int (*cuCtxPopCurrent)(Handle*);
  int (*cuModuleLoadDataEx)(Handle*, const void*, unsigned, int*, void**);
  int (*cuModuleUnload)(Handle);
  int (*cuModuleGetFunction)(Handle*, Handle, const char*);
  int (*cuFuncSetAttribute)(Handle, int, int);
  int (*cuLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**);
  int (*cuLaunchKernelEx)(const void*, Handle, void**, void**);
  int (*cuTensorMapEncodeTiled)(void*, int, unsigned, std::uint64_t, const std::uint64_t*, const std::uint64_t*, const std::uint32_t*,
                                const std::uint32_t*, int, int, int, int);
  int (*cuTensorMapEncodeIm2col)(void*, int, unsigned, std::uint64_t, const std::uint64_t*, const std::uint64_t*, const int*, const int*,
                                 unsigned, unsigned, const std::uint32_t*, int, int, int, int);

  Driver() {
    Handle library = open();
    find(library, cuInit, "cuInit");
    find(library, cuDriverGetVersion, "cuDriverGetVersion");
    find(library, cuGetErrorName, "cuGetErrorName");
    find(library, cuDeviceGet, "cuDeviceGet");
    find(library, cuDeviceGetName, "cuDeviceGetName");
    find(library, cuDeviceGetAttribute, "cuDeviceGetAttribute");
    find(library, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    find(library, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
    find(library, cuCtxGetCurrent, "cuCtxGetCurrent");
    find(library, cuCtxGetDevice, "cuCtxGetDevice");
    find(library, cuCtxPushCurrent, "cuCtxPushCurrent_v2");
    find(library, cuCtxPopCurrent, "cuCtxPopCurrent_v2");
    find(library, cuModuleLoadDataEx, "cuModuleLoadDataEx");
    find(library, cuModuleUnload, "cuModuleUnload");
    find(library, cuModuleGetFunction, "cuModuleGetFunction");
    find(library, cuFuncSetAttribute, "cuFuncSetAttribute");
    find(library, cuLaunchKernel, "cuLaunchKernel");
    find(library, cuLaunchKernelEx, "cuLaunchKernelEx");
    find(library, cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
    find(library, cuTensorMapEncodeIm2col, "cuTensorMapEncodeIm2col");
    check(cuInit(0), "cuInit");
  }

  void check(int code, const char* function) const {
    if (code != 0) throw Error("", std::string("the driver refuses ") + function + ": " + describe(code));
  }

  std::string describe(int code) const {
    const char* text = nullptr;
    const bool known = cuGetErrorName(code, &text) == 0 && text != nullptr;
    return std::to_string(code) + (known ? std::string(" (") + text + ")" : "");
  }

 private:
  template <typename F>
  static void find(Handle library, F& function, const char* name) {
#if defined(_WIN32)
    const auto found = GetProcAddress(static_cast<HMODULE>(library), name);
#else
    void* const found = dlsym(library, name);
#endif
    if (found == nullptr) throw Error("W7733", std::string("The NVIDIA driver has no ") + name + ": it is older than CUDA 12.0");
    static_assert(sizeof found == sizeof function, "functions are found by address");
    std::memcpy(&function, &found, sizeof function);
  }

  static Handle open() {
#if defined(_WIN32)
    Handle library = LoadLibraryA("nvcuda.dll");
    if (library == nullptr) throw Error("W7733", "The NVIDIA driver cannot be loaded: there is no nvcuda.dll");
#else
    Handle library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) library = dlopen("libcuda.so", RTLD_NOW);
    if (library == nullptr) throw Error("W7733", std::string("The NVIDIA driver cannot be loaded: ") + dlerror());
#endif
    return library;
  }
};

inline const Driver& driver() {
  static const Driver loaded;
  return loaded;
}

inline std::string read(const std::string& path, const char* code, const std::string& before, const std::string& after) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(code, before + path + after + "it is not there, or may not be read");
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

/// What stands behind the first `"name":` of a manifest, up to the comma or the end of the line.
inline std::string field(const std::string& manifest, const std::string& name) {
  const std::string key = "\"" + name + "\":";
  const std::size_t at = manifest.find(key);
  if (at == std::string::npos) return "";
  const std::size_t begin = manifest.find_first_not_of(" \"", at + key.size());
  const std::size_t end = manifest.find_first_of(",\"\n}", begin);
  return begin == std::string::npos || end == std::string::npos ? "" : manifest.substr(begin, end - begin);
}

inline void check_manifest(const std::string& folder, const char* id) {
  const std::string path = folder + "/manifest.json";
  const std::string before = "The manifest ", after = " cannot be used: ";
  const std::string text = read(path, "W7730", before, after);
  if (field(text, "format") != "warpsmith-build") throw Error("W7730", before + path + after + "it is not of a build");
  const std::string version = field(text, "version"), known = std::to_string(manifest_version);
  if (version != known)
    throw Error("W7730", before + path + after + "it has version " + version + ", and version " + known + " is read here");
  if (field(text, "id") != id) throw Error("W7734", before + path + " is of another build than the launcher that reads it");
}

inline std::string code_of(const std::string& folder, const char* file, const char* hash) {
  const std::string path = folder + "/" + file;
  const std::string text = read(path, "W7731", "The file ", " of the build cannot be read: ");
  if (sha256(text) != hash)
    throw Error("W7732", "The file " + path + " is not the one that was built: its hash is not the manifest's");
  return text;
}

/// What a device must be.
struct Needed {
  const char* target;
  const char* architecture;
  int major, minor, driver;
};

/// The context that kernels live in: the current one, or the primary one of a device.
class Context {
 public:
  Context(const Needed& needed, int device) {
    const Driver& d = driver();
    int number = 0;
    if (device < 0) d.check(d.cuCtxGetCurrent(&handle_), "cuCtxGetCurrent");
    if (handle_ != nullptr) d.check(d.cuCtxGetDevice(&number), "cuCtxGetDevice");
    else d.check(d.cuDeviceGet(&number, device < 0 ? 0 : device), "cuDeviceGet");
    check(needed, number);
    if (handle_ != nullptr) return;
    d.check(d.cuDevicePrimaryCtxRetain(&handle_, number), "cuDevicePrimaryCtxRetain");
    retained_ = number;
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    if (retained_ >= 0) driver().cuDevicePrimaryCtxRelease(retained_);
  }

  /// Makes it the current one as long as it lives.
  class Current {
   public:
    explicit Current(const Context& context) { driver().check(driver().cuCtxPushCurrent(context.handle_), "cuCtxPushCurrent"); }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() {
      Handle before;
      driver().cuCtxPopCurrent(&before);
    }
  };

 private:
  static void check(const Needed& needed, int number) {
    const Driver& d = driver();
    const auto dotted = [](int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); };
    int version = 0, major = 0, minor = 0;
    d.check(d.cuDriverGetVersion(&version), "cuDriverGetVersion");
    if (version < needed.driver)
      throw Error("W7733", "The kernels need a driver of CUDA " + dotted(needed.driver / 1000, needed.driver % 1000 / 10) +
                               ", and this one is of CUDA " + dotted(version / 1000, version % 1000 / 10));
    d.check(d.cuDeviceGetAttribute(&major, 75, number), "cuDeviceGetAttribute");
    d.check(d.cuDeviceGetAttribute(&minor, 76, number), "cuDeviceGetAttribute");
    if (major == needed.major && minor == needed.minor) return;
    char name[256] = {};
    d.check(d.cuDeviceGetName(name, 256, number), "cuDeviceGetName");
    throw Error("W7733", "The kernels were built for compute capability " + dotted(needed.major, needed.minor) + " (" +
                             needed.architecture + ", " + needed.target + "), and " + name + " has " + dotted(major, minor));
  }

  Handle handle_ = nullptr;
  int retained_ = -1;
};

inline std::string brackets(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); i++) text += (i ? ", " : "") + (values[i] < 0 ? std::string("?") : std::to_string(values[i]));
  return text + "]";
}

/// A kernel of the build, in a context that is the current one while it is made, launched and goes.
class Kernel {
 public:
  Kernel(const Info& info, const std::string& ptx, const std::string& cubin) : info_(info) {
    const Driver& d = driver();
    load(ptx, cubin);
    d.check(d.cuModuleGetFunction(&function_, module_, info_.entry), "cuModuleGetFunction");
    if (info_.shared_bytes > 0) d.check(d.cuFuncSetAttribute(function_, 8, static_cast<int>(info_.shared_bytes)), "cuFuncSetAttribute");
    if (info_.non_portable_cluster) d.check(d.cuFuncSetAttribute(function_, 14, 1), "cuFuncSetAttribute");
  }
  Kernel(Kernel&& other) noexcept
      : info_(other.info_), module_(std::exchange(other.module_, nullptr)), function_(other.function_) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel() {
    if (module_ != nullptr) driver().cuModuleUnload(module_);
  }

  void launch(const std::vector<Argument>& arguments, const Launch& how) const {
    for (std::size_t i = 0; i < arguments.size(); i++)
      if (arguments[i].tensor != nullptr) check(info_.parameters[i], *arguments[i].tensor);
    if (how.overlap_previous && !info_.waits_for_previous)
      throw Error("W7518", std::string(info_.name) + " never waits for the kernel before it: overlap_previous would let it run ahead");
    const std::array<unsigned, 3> grid = grid_of(arguments, how);
    // Each at a multiple of 64 bytes, as tensor maps need it.
    std::size_t total = 64;
    for (const Slot& slot : info_.slots) total += (slot.bytes + 63) / 64 * 64;
    std::vector<unsigned char> room(total);
    unsigned char* place = room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64;
    std::vector<void*> pointers(info_.slots.size() + 1);
    for (std::size_t i = 0; i < info_.slots.size(); i++) {
      write(place, info_.slots[i], arguments);
      pointers[i] = place;
      place += (info_.slots[i].bytes + 63) / 64 * 64;
    }
    issue(grid, how, pointers.data());
  }

 private:
  void load(const std::string& ptx, const std::string& cubin) {
    const Driver& d = driver();
    if (!cubin.empty() && d.cuModuleLoadDataEx(&module_, cubin.data(), 0, nullptr, nullptr) == 0) return;
    // A driver that does not take the cubin, as it is older than the toolkit that made it, assembles the PTX.
    std::vector<char> log(16384);
    int keys[] = {5, 6, 13};
    void* values[] = {log.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(log.size())),
                      reinterpret_cast<void*>(static_cast<std::uintptr_t>(1))};
    const int code = d.cuModuleLoadDataEx(&module_, ptx.c_str(), 3, keys, values);
    log.back() = '\0';
    if (code != 0)
      throw Error("", std::string(info_.name) + ": the driver refuses its code: " + d.describe(code) + " " + log.data());
  }

  [[noreturn]] void refuse(const char* what, const Parameter& parameter, const std::string& given, const std::string& expected) const {
    throw Error("W7735", std::string(info_.name) + ": the " + what + " of '" + parameter.name +
                             (std::strcmp(what, "strides") == 0 ? "' are " : "' is ") + given +
                             ", and the kernel was built for " + expected);
  }

  void check(const Parameter& parameter, const Tensor& tensor) const {
    if (tensor.dtype != parameter.dtype) refuse("type", parameter, name_of(tensor.dtype), name_of(parameter.dtype));
    bool fits = tensor.shape.size() == parameter.shape.size();
    for (std::size_t d = 0; fits && d < tensor.shape.size(); d++)
      fits = tensor.shape[d] >= 1 && (parameter.shape[d] < 0 || parameter.shape[d] == tensor.shape[d]);
    if (!fits) refuse("shape", parameter, brackets(tensor.shape), brackets(parameter.shape));
    bool lies = tensor.strides.size() == tensor.shape.size();
    for (std::size_t d = 0; lies && d < tensor.shape.size(); d++)
      lies = tensor.shape[d] == 1 ||
             (tensor.strides[d] >= 0 && (parameter.strides[d] < 0 || parameter.strides[d] == tensor.strides[d]));
    if (!lies) refuse("strides", parameter, brackets(tensor.strides), brackets(parameter.strides));
    if (tensor.data != 0 && tensor.data % parameter.alignment == 0) return;
    std::string digits;
    for (std::uint64_t rest = tensor.data; rest != 0 || digits.empty(); rest >>= 4)
      digits.insert(digits.begin(), "0123456789abcdef"[rest & 15]);
    refuse("address", parameter, "0x" + digits, "a multiple of " + std::to_string(parameter.alignment));
  }

  std::array<unsigned, 3> grid_of(const std::vector<Argument>& arguments, const Launch& how) const {
    Grid grid = {how.grid[0], how.grid[1], how.grid[2]};
    if (grid[0] == 0 && grid[1] == 0 && grid[2] == 0) {
      if (info_.grid == nullptr)
        throw Error("W7737", std::string(info_.name) + " has no grid: how many blocks it takes is not in its manifest; give Launch::grid");
      grid = info_.grid(arguments);
    }
    const std::int64_t limits[] = {2147483647, 65535, 65535};
    for (std::size_t i = 0; i < 3; i++)
      if (grid[i] < 1 || grid[i] > limits[i] || grid[i] % info_.cluster[i] != 0)
        throw Error("W7737", std::string(info_.name) + ": the grid " + brackets({grid[0], grid[1], grid[2]}) +
                                 " cannot be launched, with clusters of " +
                                 brackets({info_.cluster[0], info_.cluster[1], info_.cluster[2]}));
    return {static_cast<unsigned>(grid[0]), static_cast<unsigned>(grid[1]), static_cast<unsigned>(grid[2])};
  }

  void write(unsigned char* place, const Slot& slot, const std::vector<Argument>& arguments) const {
    if (slot.from == From::constant) {
      std::memcpy(place, &slot.value, slot.bytes);
      return;
    }
    const Argument& argument = arguments[slot.of];
    if (slot.from == From::scalar) {
      std::memcpy(place, argument.scalar.bytes.data(), slot.bytes);
    } else if (slot.from == From::address) {
      std::memcpy(place, &argument.tensor->data, 8);
    } else if (slot.from == From::map) {
      encode(place, info_.maps[static_cast<std::size_t>(slot.map)], info_.parameters[slot.of], *argument.tensor);
    } else {
      const bool shape = slot.from == From::shape;
      const std::int64_t value = (shape ? argument.tensor->shape : argument.tensor->strides)[slot.dimension];
      if (value > 2147483647) refuse(shape ? "shape" : "strides", info_.parameters[slot.of], std::to_string(value), "at most 2147483647");
      const std::int32_t narrow = static_cast<std::int32_t>(value);
      std::memcpy(place, &narrow, 4);
    }
  }

  void encode(unsigned char* place, const Map& map, const Parameter& parameter, const Tensor& tensor) const {
    const Driver& d = driver();
    std::vector<std::uint64_t> dims = map.dims, strides = map.strides;
    if (map.resized) {
      const std::size_t rank = tensor.shape.size();
      const std::int64_t alignment = map.interleave == 2 ? 32 : 16, limit = std::int64_t(1) << 40;
      for (std::size_t i = 0; i < rank; i++) dims[rank - 1 - i] = static_cast<std::uint64_t>(tensor.shape[i]);
      for (std::size_t i = 0; i + 1 < rank; i++) {
        std::int64_t step = tensor.strides[i] * bytes_of(tensor.dtype);
        if (tensor.shape[i] == 1) step = (least(step, limit - 1024) + 31) / 32 * 32;
        else if (step % alignment != 0 || step >= limit)
          refuse("strides", parameter, brackets(tensor.strides), "rows that begin at multiples of " + std::to_string(alignment) + " bytes");
        strides[rank - 2 - i] = static_cast<std::uint64_t>(step);
      }
    }
    // One stride more than there are: the driver is never given the address of nothing.
    strides.push_back(0);
    const unsigned rank = static_cast<unsigned>(dims.size());
    if (map.im2col)
      d.check(d.cuTensorMapEncodeIm2col(place, map.dtype, rank, tensor.data, dims.data(), strides.data(), map.lower.data(), map.upper.data(),
                                        map.channels, map.pixels, map.element_strides.data(), map.interleave, map.swizzle, map.promotion,
                                        map.fill),
              "cuTensorMapEncodeIm2col");
    else
      d.check(d.cuTensorMapEncodeTiled(place, map.dtype, rank, tensor.data, dims.data(), strides.data(), map.box.data(),
                                       map.element_strides.data(), map.interleave, map.swizzle, map.promotion, map.fill),
              "cuTensorMapEncodeTiled");
  }

  /// CUlaunchAttribute and CUlaunchConfig of cuda.h.
  struct Attribute {
    int id;
    int padding;
    std::uint32_t value[16];
  };
  struct Config {
    unsigned grid[3], block[3], shared_bytes;
    Handle stream;
    const Attribute* attributes;
    unsigned count;
  };
  static_assert(sizeof(Attribute) == 72 && sizeof(Config) == 56, "as cuda.h has them");

  void issue(const std::array<unsigned, 3>& grid, const Launch& how, void** parameters) const {
    const Driver& d = driver();
    const std::array<unsigned, 3>&block = info_.block, &cluster = info_.cluster;
    const bool clustered = cluster[0] * cluster[1] * cluster[2] > 1;
    if (!clustered && !how.overlap_previous && !info_.cooperative) {
      d.check(d.cuLaunchKernel(function_, grid[0], grid[1], grid[2], block[0], block[1], block[2], info_.shared_bytes, how.stream, parameters,
                               nullptr),
              "cuLaunchKernel");
      return;
    }
    Attribute attributes[3] = {};
    unsigned count = 0;
    const auto add = [&](int id, unsigned x, unsigned y, unsigned z) {
      attributes[count].id = id;
      attributes[count].value[0] = x;
      attributes[count].value[1] = y;
      attributes[count].value[2] = z;
      count++;
    };
    if (clustered) add(4, cluster[0], cluster[1], cluster[2]);
    if (how.overlap_previous) add(6, 1, 0, 0);
    if (info_.cooperative) add(2, 1, 0, 0);
    const Config config = {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, info_.shared_bytes, how.stream, attributes, count};
    d.check(d.cuLaunchKernelEx(&config, function_, parameters, nullptr), "cuLaunchKernelEx");
  }

  const Info& info_;
  Handle module_ = nullptr;
  Handle function_ = nullptr;
};

@INFOS@
/// What the build of a folder needs, which is the one that this header is of.
inline const Needed& needed_by(const std::string& folder) {
  check_manifest(folder, id);
  return needed;
}

}  // namespace detail

/// The kernels of this build on one device. A launch returns before it has run; what it writes is there when its stream has come to it.
class Kernels {
 public:
  /// The folder that `warpsmith build` wrote. `device`: a number of a CUDA device; -1: that of the current context, else number 0.
  explicit Kernels(const std::string& folder, int device = -1) : context_(detail::needed_by(folder), device) {
    std::vector<std::pair<std::string, std::string>> codes;
    for (const detail::Info& info : detail::infos())
      codes.emplace_back(detail::code_of(folder, info.ptx_file, info.ptx_hash),
                         info.cubin_file ? detail::code_of(folder, info.cubin_file, info.cubin_hash) : std::string());
    const detail::Context::Current current(context_);
    kernels_.reserve(codes.size());
    for (std::size_t i = 0; i < codes.size(); i++) kernels_.emplace_back(detail::infos()[i], codes[i].first, codes[i].second);
  }
  ~Kernels() {
    // Modules go while their context is the current one.
    try {
      const detail::Context::Current current(context_);
      kernels_.clear();
    } catch (const Error&) {
    }
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

@METHODS@
 private:
  void run(std::size_t kernel, const std::vector<detail::Argument>& arguments, const Launch& how) {
    const detail::Context::Current current(context_);
    kernels_[kernel].launch(arguments, how);
  }

  detail::Context context_;
  std::vector<detail::Kernel> kernels_;
};

}  // namespace @NAME@
