/*
 * A libcuda that records: every call that a launch is made of becomes a line of JSON in the file FAKE_CUDA_RECORD.
 * FAKE_CUDA_PARAMETERS: "entry:8,4,128;…", the bytes of each parameter, as a driver would read them out of the code.
 * FAKE_CUDA_ADDRESSED: encoded maps begin with the address of their tensor.
 * FAKE_CUDA_CAPABILITY (9.0), FAKE_CUDA_VERSION (12040), FAKE_CUDA_NO_CUBIN (cubins are refused), FAKE_CUDA_REFUSE (a function, "name:code").
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static const char *text_of(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value ? value : otherwise;
}

static FILE *record(void) {
  static FILE *file;
  if (!file) file = fopen(text_of("FAKE_CUDA_RECORD", "/dev/null"), "w");
  return file;
}

static int refused(const char *function) {
  const char *what = text_of("FAKE_CUDA_REFUSE", "");
  const size_t length = strlen(function);
  return strncmp(what, function, length) == 0 && what[length] == ':' ? atoi(what + length + 1) : 0;
}

static void *current;
static char entries[64][256];
static int functions;

EXPORT int cuInit(unsigned flags) { return (int)flags; }
EXPORT int cuDriverGetVersion(int *version) { return *version = atoi(text_of("FAKE_CUDA_VERSION", "12040")), 0; }
EXPORT int cuGetErrorName(int code, const char **name) { return *name = code == 701 ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" : NULL, *name ? 0 : 1; }
EXPORT int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, ordinal == 0 ? 0 : 101; }
EXPORT int cuDeviceGetName(char *name, int length, int device) { return snprintf(name, (size_t)length, "Fake GPU %d", device), 0; }
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  int major = 9, minor = 0;
  sscanf(text_of("FAKE_CUDA_CAPABILITY", "9.0"), "%d.%d", &major, &minor);
  *value = attribute == 75 ? major : attribute == 76 ? minor : 0;
  return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = (void *)(uintptr_t)(0xc0ffee + device), 0; }
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
EXPORT int cuCtxGetCurrent(void **context) { return *context = current, 0; }
EXPORT int cuCtxGetDevice(int *device) { return *device = 0, current ? 0 : 201; }
EXPORT int cuCtxPushCurrent_v2(void *context) { return current = context, context ? 0 : 201; }
EXPORT int cuCtxPopCurrent_v2(void **context) { return *context = current, current = NULL, 0; }

static uint64_t hash(const unsigned char *bytes, size_t count) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < count; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h;
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  if (!current) return 201;
  static uintptr_t next = 0x1000;
  const unsigned char *bytes = image;
  const int cubin = memcmp(bytes, "\x7f" "ELF", 4) == 0;
  if (cubin && getenv("FAKE_CUDA_NO_CUBIN")) return 200;
  if (refused("cuModuleLoadDataEx")) {
    if (count == 3) strcpy(values[0], "line 7: no such thing");
    return refused("cuModuleLoadDataEx");
  }
  const size_t length = cubin ? 64 : strlen(image);
  fprintf(record(), "{\"call\":\"load\",\"kind\":\"%s\",\"bytes\":%zu,\"hash\":\"%016llx\",\"options\":[", cubin ? "cubin" : "ptx", length,
          (unsigned long long)hash(bytes, length));
  for (unsigned i = 0; i < count; i++) fprintf(record(), "%s%d", i ? "," : "", options[i]);
  fprintf(record(), "]}\n");
  *module = (void *)(next += 0x1000);
  return 0;
}
EXPORT int cuModuleUnload(void *module) { return module && current ? 0 : 201; }
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  fprintf(record(), "{\"call\":\"function\",\"name\":\"%s\"}\n", name);
  snprintf(entries[functions], sizeof entries[0], "%s", name);
  *function = (void *)(uintptr_t)(++functions);
  return module ? 0 : 400;
}
static const char *entry_of(void *function) { return entries[(uintptr_t)function - 1]; }
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  fprintf(record(), "{\"call\":\"set\",\"entry\":\"%s\",\"attribute\":%d,\"value\":%d}\n", entry_of(function), attribute, value);
  return 0;
}

static void list(const char *name, const void *values, unsigned count, int bytes) {
  fprintf(record(), ",\"%s\":[", name);
  for (unsigned i = 0; i < count; i++) {
    if (bytes == 8) fprintf(record(), "%s%llu", i ? "," : "", (unsigned long long)((const uint64_t *)values)[i]);
    else fprintf(record(), "%s%d", i ? "," : "", ((const int32_t *)values)[i]);
  }
  fprintf(record(), "]");
}
static int encode(void *map, unsigned char fill, int type, unsigned rank, uint64_t address, const uint64_t *dims, const uint64_t *strides,
                  const uint32_t *steps, const int *tail) {
  if ((uintptr_t)map % 64 != 0) return 1;
  memset(map, fill, 128);
  if (getenv("FAKE_CUDA_ADDRESSED")) memcpy(map, &address, sizeof address);
  fprintf(record(), "{\"call\":\"encode\",\"fill\":%d,\"type\":%d,\"address\":\"%llx\"", fill, type, (unsigned long long)address);
  list("dims", dims, rank, 8);
  list("strides", strides, rank, 8);
  list("steps", steps, rank, 4);
  list("tail", tail, 4, 4);
  return 0;
}
EXPORT int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, uint64_t address, const uint64_t *dims, const uint64_t *strides,
                                  const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  const int tail[] = {interleave, swizzle, promotion, fill};
  const int code = encode(map, 0x11, type, rank, address, dims, strides, steps, tail);
  if (code) return code;
  list("box", box, rank, 4);
  return fprintf(record(), "}\n"), 0;
}
EXPORT int cuTensorMapEncodeIm2col(void *map, int type, unsigned rank, uint64_t address, const uint64_t *dims, const uint64_t *strides,
                                   const int *lower, const int *upper, unsigned channels, unsigned pixels, const uint32_t *steps,
                                   int interleave, int swizzle, int promotion, int fill) {
  const int tail[] = {interleave, swizzle, promotion, fill}, counts[] = {(int)channels, (int)pixels};
  const int code = encode(map, 0x22, type, rank, address, dims, strides, steps, tail);
  if (code) return code;
  list("lower", lower, rank - 2, 4);
  list("upper", upper, rank - 2, 4);
  list("counts", counts, 2, 4);
  return fprintf(record(), "}\n"), 0;
}

static int launched(void *function, const unsigned *extents, unsigned shared, uint64_t stream, const unsigned char *attributes, unsigned count,
                    void **parameters) {
  if (!current) return 201;
  if (refused("cuLaunchKernel")) return refused("cuLaunchKernel");
  const char *entry = entry_of(function);
  fprintf(record(), "{\"call\":\"launch\",\"entry\":\"%s\"", entry);
  list("grid", extents, 3, 4);
  list("block", extents + 3, 3, 4);
  fprintf(record(), ",\"shared\":%u,\"stream\":%llu,\"attributes\":[", shared, (unsigned long long)stream);
  for (unsigned i = 0; i < count; i++) {
    uint32_t words[18];
    memcpy(words, attributes + 72 * i, 72);
    fprintf(record(), "%s[%u,%u,%u,%u]", i ? "," : "", words[0], words[2], words[3], words[4]);
  }
  fprintf(record(), "],\"parameters\":[");
  char key[300];
  snprintf(key, sizeof key, ";%s:", entry);
  const char *sizes = strstr(text_of("FAKE_CUDA_PARAMETERS", ""), key);
  for (unsigned i = 0; sizes && (i == 0 || *sizes == ','); i++) {
    char *end;
    const long bytes = strtol(i ? sizes + 1 : sizes + strlen(key), &end, 10);
    sizes = end;
    fprintf(record(), "%s\"", i ? "," : "");
    for (long b = 0; b < bytes; b++) fprintf(record(), "%02x", ((unsigned char *)parameters[i])[b]);
    fprintf(record(), "\"");
    if ((uintptr_t)parameters[i] % 64 != 0) return 1;
  }
  fprintf(record(), "]}\n");
  fflush(record());
  return 0;
}
EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                          void *stream, void **parameters, void **extra) {
  const unsigned extents[] = {gx, gy, gz, bx, by, bz};
  return extra ? 1 : launched(function, extents, shared, (uintptr_t)stream, NULL, 0, parameters);
}
EXPORT int cuLaunchKernelEx(const void *config, void *function, void **parameters, void **extra) {
  const unsigned char *bytes = config;
  unsigned extents[6], shared, count;
  uint64_t stream;
  const unsigned char *attributes;
  memcpy(extents, bytes, 24);
  memcpy(&shared, bytes + 24, 4);
  memcpy(&stream, bytes + 32, 8);
  memcpy(&attributes, bytes + 40, 8);
  memcpy(&count, bytes + 48, 4);
  return extra ? 1 : launched(function, extents, shared, stream, attributes, count, parameters);
}
