/** What the host sees of kernels. Types only. */
import type { Span } from "../diag/index.ts";
import type { Device, DeviceTensor, Stream } from "../runtime/types.ts";
import type { Dim, Dim3, DType, TensorSpec } from "../types.ts";

/** What the host passes for a kernel's parameter. */
export type HostArg<T> = T extends { memory: "global"; dtype: infer D extends DType; rank: infer R extends number }
  ? DeviceTensor<D, R>
  : T extends number
    ? number extends T
      ? number
      : T
    : T extends bigint
      ? bigint | number
      : T;
export type HostArgs<P extends readonly unknown[]> = { [I in keyof P]: HostArg<P[I]> };
/** What `compile` and `trace` need: shapes and types, but no device. */
export type SpecArgs<P extends readonly unknown[]> = {
  [I in keyof P]: P[I] extends { memory: "global"; dtype: infer D extends DType; rank: infer R extends number }
    ? TensorSpec<D, R>
    : HostArg<P[I]>;
};

/** Either a value, or how to get it from the kernel's arguments. */
export type From<P extends readonly unknown[], T> = T | ((...args: SpecArgs<P>) => T);

export interface KernelOptions<P extends readonly unknown[] = readonly unknown[]> {
  /** Threads in a block, at most 1024. */
  readonly block: From<P, Dim>;
  /** Blocks in the grid, where the arguments decide it; `launch({ grid })` overrides. */
  readonly grid?: From<P, Dim>;
  /** Blocks in a cluster, at most 8 (16 with `nonPortableCluster`). Default 1. */
  readonly cluster?: From<P, Dim>;
  readonly nonPortableCluster?: boolean;
  /** Bytes of dynamic shared memory for `sharedMemory.dynamic`; `sharedMemory.alloc` counts its own. At most 232448 together. */
  readonly smem?: From<P, number>;
  /** Registers per thread at entry (`.maxnreg`). */
  readonly registers?: number;
  /** Blocks that must fit one SM (`.minnctapersm`). */
  readonly blocksPerSM?: number;
  /** Tensor dimensions that are staged instead of static, by parameter name: `{ x: [0] }`. */
  readonly dynamic?: Readonly<Record<string, readonly number[]>>;
  /**
   * Compile `assert` in, and check on the GPU what the text does: every index against its extent where memory is touched, i32 and
   * i64 arithmetic against its range, integers that become narrower, counts that may not be negative. `(a + b) | 0`, `>>> 0` and `Math.imul` wrap by definition.
   * Default: on in the emulator, off on the GPU.
   */
  readonly debug?: boolean;
  /** Let `a * b + c` and `a * b - c` of floats become one rounding. Default false: every operation rounds as written; `fma(a, b, c)` asks for one. */
  readonly contract?: boolean;
  /** Parameter types for a kernel that has not been through the transform (see `explicit`). */
  readonly params?: readonly ("static" | "tensor" | "tma" | DType)[];
}

/** What a kernel's `console.log` printed. */
export interface LogLine {
  readonly text: string;
  readonly block: Dim3;
  readonly thread: Dim3;
  readonly span: Span;
}

export interface LaunchConfig {
  /** Blocks. Required unless the kernel's options give it. */
  readonly grid?: Dim;
  /** Needed only when no argument lives on a device and more than one device is open. */
  readonly device?: Device;
  /** Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** Let this kernel start before the previous one of its stream ends; it calls `gridDependency.wait()` before reading its results. W7518. */
  readonly overlapPrevious?: boolean;
  /** Called with every line that the kernel's console.log prints; default: stdout, the text and nothing else. */
  readonly onLog?: (line: LogLine) => void;
}

export interface BenchConfig extends LaunchConfig {
  /** Launches before the first that is timed, at least one. Default 3. */
  readonly warmup?: number;
  /** Launches that are timed, each between two events. Default 20. */
  readonly repeat?: number;
  /** Overwrite the L2 cache before each. Default true. */
  readonly flush?: boolean;
}
/** Microseconds. */
export interface Timing {
  readonly median: number;
  readonly min: number;
  readonly mean: number;
  readonly samples: readonly number[];
}

export interface Kernel<P extends readonly unknown[]> {
  readonly name: string;
  /** Checks every argument, compiles if this set of static values is new, and enqueues. Errors on the GPU surface at the next `read` or `sync`. */
  launch(config: LaunchConfig, ...args: HostArgs<P>): void;
  /** Compiles for shapes and static values; needs no GPU. */
  compile(...args: SpecArgs<P>): Compiled;
  /** The op graph before any pass. */
  trace(...args: SpecArgs<P>): OpGraph;
  /** Launches `repeat` times between events, L2 flushed before each. */
  bench(config: BenchConfig, ...args: HostArgs<P>): Promise<Timing>;
}

export interface OpGraph {
  toString(): string;
}

/** What ptxas made of a kernel. */
export interface Resources {
  /** Per thread. Undefined where no CUDA toolkit is installed. */
  readonly registers: number | undefined;
  /** Per block: what `sharedMemory.alloc`, `sharedMemory.dynamic` and barriers take together. */
  readonly sharedBytes: number;
  /** Local memory per thread that ptxas spilled to. Undefined where no CUDA toolkit is installed. */
  readonly spillBytes: number | undefined;
}
export interface Compiled {
  readonly ptx: string;
  /** The op graph after all passes. */
  readonly graph: OpGraph;
  readonly resources: Resources;
  /** Machine code as text. Only where the CUDA toolkit is installed. */
  sass(): string | undefined;
}
