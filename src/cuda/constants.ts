/** Numbers of the driver's enumerations (`cuda.h`, CUDA 12). */

export const deviceAttribute = {
  multiprocessors: 16,
  l2Bytes: 38,
  computeCapabilityMajor: 75,
  computeCapabilityMinor: 76,
  memoryPoolsSupported: 115,
} as const;

export const functionAttribute = {
  maxThreadsPerBlock: 0,
  sharedBytes: 1,
  localBytes: 3,
  registers: 4,
  maxDynamicSharedBytes: 8,
  nonPortableClusterAllowed: 14,
} as const;

export const jitOption = { infoLog: 3, infoLogBytes: 4, errorLog: 5, errorLogBytes: 6, lineInfo: 13 } as const;
export const launchAttribute = { cooperative: 2, clusterDimension: 4, programmaticStreamSerialization: 6 } as const;
export const poolAttribute = { releaseThreshold: 4 } as const;
export const pointerAttribute = { memoryType: 2, devicePointer: 3, rangeStart: 11, rangeSize: 12 } as const;
/** `CUcoredumpSettings`. */
export const coredumpAttribute = { onException: 1, file: 5, generationFlags: 7 } as const;
/** `CU_CTX_COREDUMP_ENABLE`, of the flags of a context. */
export const coredumpEnable = 0x20;
/** `CUCoredumpGenerationFlags`: no images before their addresses were put in, no memory of any kind; the process goes on. */
export const coredumpContents = 0x3f;
/** The oldest driver that has all of these: CUDA 12.6. */
export const dumpsWithoutAbort = 12060;
export const streamNonBlocking = 1;
/** Calls that have nothing to do with the captured stream stay allowed: loading a kernel that is new, for one. */
export const captureRelaxed = 2;
export const eventDisableTiming = 2;
export const hostAlloc = { portable: 1, deviceMap: 2 } as const;

/** The oldest driver that has `cuTensorMapEncodeTiled`: CUDA 12.0. */
export const oldestDriver = 12000;
