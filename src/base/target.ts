/** What one launch may ask for (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). */
export interface Limits {
  /** Threads of a block, and how many of them along z. */
  readonly threads: number;
  readonly blockZ: number;
  /** Blocks along each axis of the grid. */
  readonly grid: readonly [number, number, number];
  /** Bytes of shared memory of a block. */
  readonly sharedBytes: number;
  /** Blocks of a cluster: everywhere, and with `nonPortableCluster`. */
  readonly portableCluster: number;
  readonly cluster: number;
  /** 32-bit registers of a multiprocessor, and those that `.maxnreg` may give a thread. */
  readonly registers: number;
  readonly threadRegisters: number;
  /** Blocks of a multiprocessor. */
  readonly blocksPerSM: number;
  readonly perSM: MultiprocessorLimits;
}

/** What the blocks on one multiprocessor share, and in which portions they get it (cuda_occupancy.h of the CUDA toolkit). */
export interface MultiprocessorLimits {
  readonly warps: number;
  /** Partitions that a multiprocessor's registers are divided into: a warp's registers are in one of them, in portions of so many. */
  readonly partitions: number;
  readonly warpRegistersAtOnce: number;
  /** Bytes of shared memory: all, those that the system takes for each block, and the portion that a block's are rounded up to. */
  readonly sharedBytes: number;
  readonly reservedSharedBytes: number;
  readonly sharedBytesAtOnce: number;
  /** Barriers of blocks (`bar.sync`). */
  readonly barriers: number;
}

/** A name for instructions that some targets have and others have not (PTX ISA, "Target ISA Notes"). */
export type InstructionSet = "sm_90" | "sm_90a";

/** What a kernel is compiled for. */
export interface Target {
  /** As `.target` and `ptxas -arch` spell it. */
  readonly name: string;
  /** Of the devices that run its code, and what NVIDIA calls their architecture. */
  readonly computeCapability: readonly [major: number, minor: number];
  readonly architecture: string;
  /** The least version of the PTX ISA that knows it. */
  readonly ptxVersion: string;
  /** Whose instructions it has. A target with an `a` has those of the one without: sm_90a all of sm_90. No later target has those of sm_90a. */
  readonly has: readonly InstructionSet[];
  readonly limits: Limits;
}

const sm90a: Target = {
  name: "sm_90a",
  computeCapability: [9, 0],
  architecture: "Hopper",
  ptxVersion: "8.0",
  has: ["sm_90", "sm_90a"],
  limits: {
    threads: 1024,
    blockZ: 64,
    grid: [2 ** 31 - 1, 65535, 65535],
    sharedBytes: 227 * 1024,
    portableCluster: 8,
    cluster: 16,
    registers: 65536,
    threadRegisters: 255,
    blocksPerSM: 32,
    perSM: {
      warps: 64,
      partitions: 4,
      warpRegistersAtOnce: 256,
      sharedBytes: 228 * 1024,
      reservedSharedBytes: 1024,
      sharedBytesAtOnce: 128,
      barriers: 64,
    },
  },
};

/** Everything that kernels can be compiled for. */
export const targets: readonly Target[] = [sm90a];

/** What a kernel is compiled for where no device says otherwise; the text of a graph does not name it. */
export const defaultTarget = sm90a;

/** The target of a device; undefined where kernels cannot be compiled for it. */
export const targetOf = ([major, minor]: readonly [major: number, minor: number]): Target | undefined =>
  targets.find(({ computeCapability: [x, y] }) => x === major && y === minor);

/** Threads of a warp, and of a warpgroup, on every target. */
export const warpSize = 32;
export const warpgroupSize = 128;
