/** What one launch on compute capability 9.0 may ask for (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). */
export const limits = {
  /** Threads of a block, and how many of them along z. */
  threads: 1024,
  blockZ: 64,
  /** Blocks along each axis of the grid. */
  grid: [2 ** 31 - 1, 65535, 65535],
  /** Bytes of shared memory of a block: 227 KiB. */
  sharedBytes: 232448,
  /** Blocks of a cluster: everywhere, and with `nonPortableCluster`. */
  portableCluster: 8,
  cluster: 16,
  /** 32-bit registers of a multiprocessor. */
  registers: 65536,
} as const;
