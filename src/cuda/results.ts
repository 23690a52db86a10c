interface ResultInfo {
  readonly name: string;
  /** A clause for the author. */
  readonly words: string;
  /** Whether the context is of no more use after it. */
  readonly fatal?: true;
}

export const success = 0;
export const invalidValue = 1;
export const outOfMemory = 2;
export const notFound = 500;
export const notReady = 600;

/** What the driver's results mean (CUDA driver API, `CUresult`). */
const results: Readonly<Record<number, ResultInfo>> = {
  1: { name: "CUDA_ERROR_INVALID_VALUE", words: "one of the values is out of the range that this device takes" },
  2: { name: "CUDA_ERROR_OUT_OF_MEMORY", words: "there is not enough memory" },
  3: { name: "CUDA_ERROR_NOT_INITIALIZED", words: "the driver has not been started" },
  4: { name: "CUDA_ERROR_DEINITIALIZED", words: "the driver is shutting down" },
  34: { name: "CUDA_ERROR_STUB_LIBRARY", words: "the library found is a stub for linking and not the driver" },
  46: {
    name: "CUDA_ERROR_DEVICE_UNAVAILABLE",
    words: "another process has the device to itself, or it is out of service",
    fatal: true,
  },
  100: { name: "CUDA_ERROR_NO_DEVICE", words: "there is no NVIDIA GPU that the driver can use" },
  101: { name: "CUDA_ERROR_INVALID_DEVICE", words: "there is no device of that number" },
  200: { name: "CUDA_ERROR_INVALID_IMAGE", words: "the compiled kernel is damaged" },
  201: { name: "CUDA_ERROR_INVALID_CONTEXT", words: "the device has been closed by other code in this process" },
  209: { name: "CUDA_ERROR_NO_BINARY_FOR_GPU", words: "the compiled kernel is for another GPU" },
  214: { name: "CUDA_ERROR_ECC_UNCORRECTABLE", words: "the memory of the GPU has an error that it cannot correct", fatal: true },
  218: { name: "CUDA_ERROR_INVALID_PTX", words: "the driver's assembler does not accept it" },
  220: {
    name: "CUDA_ERROR_NVLINK_UNCORRECTABLE",
    words: "the link between GPUs has an error that it cannot correct",
    fatal: true,
  },
  221: { name: "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", words: "the driver's assembler (libnvidia-ptxjitcompiler) is not installed" },
  222: { name: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", words: "the driver is too old for its PTX version" },
  223: { name: "CUDA_ERROR_JIT_COMPILATION_DISABLED", words: "assembling PTX is switched off in this driver's environment" },
  226: { name: "CUDA_ERROR_CONTAINED", words: "the GPU met a hardware error", fatal: true },
  300: { name: "CUDA_ERROR_INVALID_SOURCE", words: "the driver's assembler does not accept it" },
  304: { name: "CUDA_ERROR_OPERATING_SYSTEM", words: "the operating system refused it" },
  400: { name: "CUDA_ERROR_INVALID_HANDLE", words: "something it needs has been freed" },
  401: { name: "CUDA_ERROR_ILLEGAL_STATE", words: "the driver is not in a state to do it" },
  500: { name: "CUDA_ERROR_NOT_FOUND", words: "the name is not there" },
  600: { name: "CUDA_ERROR_NOT_READY", words: "it is not done yet" },
  700: { name: "CUDA_ERROR_ILLEGAL_ADDRESS", words: "it read or wrote memory that is not its own", fatal: true },
  701: {
    name: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
    words: "its threads need more registers or shared memory than a multiprocessor has",
  },
  702: { name: "CUDA_ERROR_LAUNCH_TIMEOUT", words: "it ran longer than the system lets a kernel run", fatal: true },
  710: { name: "CUDA_ERROR_ASSERT", words: "an assertion does not hold", fatal: true },
  714: { name: "CUDA_ERROR_HARDWARE_STACK_ERROR", words: "its call stack overflowed or was overwritten", fatal: true },
  715: {
    name: "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    words: "it came to an instruction that the GPU refuses, or trapped",
    fatal: true,
  },
  716: { name: "CUDA_ERROR_MISALIGNED_ADDRESS", words: "it used an address that is not aligned to what is there", fatal: true },
  717: { name: "CUDA_ERROR_INVALID_ADDRESS_SPACE", words: "it used an address of the wrong kind of memory", fatal: true },
  718: { name: "CUDA_ERROR_INVALID_PC", words: "it jumped to where no code is", fatal: true },
  719: {
    name: "CUDA_ERROR_LAUNCH_FAILED",
    words: "it trapped, or used memory or a barrier in a way that the GPU refuses",
    fatal: true,
  },
  720: { name: "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", words: "its blocks do not all fit the device at once" },
  721: { name: "CUDA_ERROR_TENSOR_MEMORY_LEAK", words: "it ended with tensor memory still allocated", fatal: true },
  800: { name: "CUDA_ERROR_NOT_PERMITTED", words: "it is not permitted" },
  801: { name: "CUDA_ERROR_NOT_SUPPORTED", words: "this device or driver cannot do it" },
  802: {
    name: "CUDA_ERROR_SYSTEM_NOT_READY",
    words: "the system is not ready; on machines with NVSwitch, the fabric manager has to run",
  },
  803: { name: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", words: "the driver library and the kernel module are of different versions" },
  804: { name: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", words: "the compatibility driver does not support this GPU" },
  900: { name: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", words: "it cannot be part of a graph" },
  901: { name: "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", words: "something that cannot be part of a graph ended the capture" },
  912: {
    name: "CUDA_ERROR_INVALID_CLUSTER_SIZE",
    words: "no multiprocessors can take a cluster of this size with this much shared memory",
  },
  999: { name: "CUDA_ERROR_UNKNOWN", words: "the driver does not know why", fatal: true },
};

/** A clause for the author, the driver's own name in parentheses. */
export function describeResult(code: number): string {
  const info = results[code];
  return info ? `${info.words} (${info.name})` : `the driver gave the unknown result ${code}`;
}

/** Whether nothing more can be done with the device after this result. */
export const isFatal = (code: number): boolean => results[code]?.fatal === true;
