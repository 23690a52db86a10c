/** What the host sees of kernels. Types only. */
import type { Remark, Span, Warning, WarpsmithError } from "../base/diag/index.ts";
import type { Dim, Dim3, DType, TensorSpec } from "../base/types.ts";
import type { Latency } from "../inspect/profile/index.ts";
import type { Profile } from "../inspect/profile/written.ts";
import type { GpuName, KernelReport } from "../inspect/report/index.ts";
import type { RegisterBounds, Switches } from "../ir/index.ts";
import type { Device, DeviceTensor, Stream } from "../runtime/index.ts";

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
/** What `launch` and `bench` take after their options: a `HostArg` for each parameter of the kernel. */
export type HostArgs<P extends readonly unknown[]> = { [I in keyof P]: HostArg<P[I]> };
/** What `compile` and `trace` need: shapes and types, but no device. */
export type SpecArgs<P extends readonly unknown[]> = {
  [I in keyof P]: P[I] extends { memory: "global"; dtype: infer D extends DType; rank: infer R extends number }
    ? TensorSpec<D, R>
    : HostArg<P[I]>;
};

/** Either a value, or how to get it from the kernel's arguments. */
export type From<P extends readonly unknown[], T> = T | ((...args: SpecArgs<P>) => T);

/**
 * How a kernel is compiled and launched: block, grid and cluster, shared memory, registers. CUDA `__launch_bounds__`, `__cluster_dims__`.
 * W2601, W7511.
 */
export interface KernelOptions<P extends readonly unknown[] = readonly unknown[]> extends RegisterBounds, Switches {
  /** Threads in a block, at most 1024. */
  readonly block: From<P, Dim>;
  /** Blocks in the grid, where the arguments decide it; `launch({ grid })` overrides. */
  readonly grid?: From<P, Dim>;
  /** Blocks in a cluster, at most 8 (16 with `nonPortableCluster`). Default 1. */
  readonly cluster?: From<P, Dim>;
  /** Allow clusters of more than 8 blocks, up to 16. CUDA `cudaFuncAttributeNonPortableClusterSizeAllowed`. Default false. W7019. */
  readonly nonPortableCluster?: boolean;
  /**
   * All blocks are on the GPU at the same time, so that they may wait for each other: `grid.sync()`. A grid that does not fit is refused at launch. CUDA
   * `cudaLaunchCooperativeKernel`. Default false. W8007.
   */
  readonly cooperative?: boolean;
  /** Bytes of dynamic shared memory for `sharedMemory.dynamic`; `sharedMemory.alloc` counts its own. At most 232448 together. */
  readonly smem?: From<P, number>;
  /**
   * Dimensions of tensors and tensor maps that are staged instead of static, by parameter name: `{ x: [0] }`. Of one within an object by its path: `{ "inputs.x": [0] }`.
   */
  readonly dynamic?: Readonly<Record<string, readonly number[]>>;
  /**
   * Keeps what is compiled on disk, in the folder `WARPSMITH_CACHE`, so that another process need not trace and lower it again. The text says
   * what the kernel depends on besides its arguments and the text of its function: the values and the functions that it uses from outside,
   * with the version of their code. Two kernels that differ in those need two keys. Nothing is kept for arguments that hold a function, a
   * symbol or an object of a class. Default: nothing is kept on disk.
   */
  readonly cacheKey?: string;
  /** Parameter types for a kernel that has not been through the transform (see `explicit`). */
  readonly params?: readonly ("static" | "tensor" | "tma" | DType)[];
}

/** What a kernel's `console.log` printed. */
export interface LogLine {
  /** The text of the line, as Node prints it. */
  readonly text: string;
  /** The `blockIdx` of the thread that printed it: [x, y, z]. */
  readonly block: Dim3;
  /** The `threadIdx` of the thread that printed it: [x, y, z]. */
  readonly thread: Dim3;
  /** Where the kernel's `console.log` stands. */
  readonly span: Span;
}

/**
 * Where and how one launch runs: the first argument of `launch`, `{}` where there is nothing to say. CUDA `<<<grid, block, smem,
 * stream>>>`; block and shared memory are options of the kernel. W2601.
 */
export interface LaunchConfig {
  /** Blocks. Required unless the kernel's options give it. */
  readonly grid?: Dim;
  /** Needed only when no argument lives on a device and more than one device is open. */
  readonly device?: Device;
  /** Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** Let this kernel start before the previous one of its stream ends; it calls `gridDependency.wait()` before reading its results. W7518. */
  readonly overlapPrevious?: boolean;
  /**
   * Watch the launch on a GPU: where nothing changes in it for 5 seconds, or as many as are given, the next `read` or `sync` says which warps wait where (W7750).
   * The emulator finds what hangs by itself. Default: `WARPSMITH_WATCH`, else what the kernel's `debug` says. docs/hangs.md.
   */
  readonly watch?: boolean | number;
  /** Called with every line that the kernel's console.log prints; default: stdout, the text and nothing else. */
  readonly onLog?: (line: LogLine) => void;
  /**
   * Called with all that the checks of the emulator warn of in this launch, when it has run; default: stderr, each place once. On a GPU nothing warns. docs/checks.md.
   */
  readonly onWarning?: (warning: Warning) => void;
}

/** What `bench` takes: all that `launch` does, and how often. W2601, W7516. */
export interface BenchConfig extends LaunchConfig {
  /** Launches before the first that is timed, at least one. Default 3. */
  readonly warmup?: number;
  /** Launches that are timed, each between two events. Default 20. */
  readonly repeat?: number;
  /** Overwrite the L2 cache before each. Default true. */
  readonly flush?: boolean;
}
/** What `profile` takes: all that `launch` does, and how much is kept. W2601, W7046. */
export interface ProfileConfig extends LaunchConfig {
  /** Spans, arrows and moments that are kept, the first ones; `dropped` of the profile counts the others. Default 100000. */
  readonly limit?: number;
  /**
   * On the emulator, whose clock leaves it open: how many ticks a copy or a product takes from its issue to its landing, at least. A warpgroup's
   * products are done one after the other. Default: 1, or as long as the schedule makes them. A CUDA device takes no notice of it. W7744.
   */
  readonly latency?: Latency;
  /**
   * On a CUDA device: launch the kernel up to 16 times with and 16 times without recording, by turns, and say how long that takes, so that it is seen what
   * recording costs. Launches that take long are fewer, two of each kind at least. What its tensors held is put back each time; nothing else
   * is. Default: true where the device has room to keep what they hold.
   */
  readonly plain?: boolean;
}
/** Microseconds of the GPU. */
export interface Timing {
  /** The middle sample; of an even number of them the mean of the middle two. */
  readonly median: number;
  /** The shortest sample. */
  readonly min: number;
  /** The sum of the samples over their number. */
  readonly mean: number;
  /** One for each timed launch, in their order. */
  readonly samples: readonly number[];
}

/** What `kernel(…)` gives. A kernel is launched and never called (W7510). CUDA `__global__`. */
export interface Kernel<P extends readonly unknown[]> {
  /** The name of its function, which is also that of the entry in PTX. */
  readonly name: string;
  /** Checks every argument, compiles if this set of static values is new, and enqueues. Errors on the GPU surface at the next `read` or `sync`. */
  launch(config: LaunchConfig, ...args: HostArgs<P>): void;
  /** Compiles for shapes and static values; needs no GPU. */
  compile(...args: SpecArgs<P>): Compiled;
  /** The op graph before any pass. */
  trace(...args: SpecArgs<P>): OpGraph;
  /**
   * The kernel with these shapes and static values, for `build`: what `compile` takes. A number stands for a parameter of that type, which each launch
   * passes; dimensions that are `dynamic` stay so.
   */
  at(...args: SpecArgs<P>): KernelAt;
  /**
   * Launches `repeat` times, each between two events of the GPU, L2 flushed before each. W7516. W8013 on the emulator, whose time
   * is not that of a GPU.
   */
  bench(config: BenchConfig, ...args: HostArgs<P>): Promise<Timing>;
  /**
   * Launches once and waits; gives what happened by time: lines and waits of warps, copies and products from issue to landing, the author's
   * `profile` marks. On the emulator the ticks are an order and not the time of a GPU. On a GPU the kernel is compiled so that it records waits,
   * copies, groups of products and marks in nanoseconds, and no lines; it is launched without that, too, to say what that costs (`plain`).
   */
  profile(config: ProfileConfig, ...args: HostArgs<P>): Promise<Profile>;
}

/** A kernel with the arguments that it is to be compiled for. */
export interface KernelAt {
  /** The kernel. */
  // biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
  readonly kernel: Kernel<any[]>;
  /** What `compile` is given. */
  readonly args: readonly unknown[];
  /** Its numbers are each launch's: those given stand for their types. */
  readonly open: true;
}

/** How `autotune` tells launches apart, and what it leaves alone. W2601, W7046. */
export interface AutotuneOptions<P extends readonly unknown[] = readonly unknown[], C = unknown> {
  /**
   * Launches with the same key share one choice. Default: element types, shapes, strides, tensor maps and static arguments, as they decide
   * what is compiled; neither numbers nor `dynamic` dimensions. Asked at every launch.
   */
  readonly key?: (...args: SpecArgs<P>) => string;
  /** Leaves a configuration out for these arguments. Asked once per key. */
  readonly skip?: (config: C, ...args: SpecArgs<P>) => boolean;
  /** Tensors whose contents are put back before each launch that is measured, and after the last. Triton `restore_value`. */
  readonly restore?: (...args: HostArgs<P>) => readonly DeviceTensor[];
}
/** One configuration, tried for one key. */
export interface AutotuneTrial<C = unknown> {
  /** As it was given to `autotune`. */
  readonly config: C;
  /** Whether it was measured, left out by `skip`, refused with an `error`, or not looked at, as on the emulator behind the chosen one. */
  readonly outcome: "measured" | "skipped" | "refused" | "chosen without measuring" | "not tried";
  /** The median, in microseconds of the GPU, the L2 cache overwritten before each launch. Undefined where it was not measured. */
  readonly time: number | undefined;
  /** Why it cannot be used: what `make`, the compiler, the driver or the launch said. */
  readonly error: WarpsmithError | undefined;
}
/** What `autotune` chose for one key on one device. */
export interface AutotuneChoice<C = unknown> {
  /** What `key` gave, or the default key. */
  readonly key: string;
  /** The name of the device. */
  readonly device: string;
  /** The configuration that launches with this key use. */
  readonly config: C;
  /** All configurations, in the order they were given. */
  readonly trials: readonly AutotuneTrial<C>[];
}
/**
 * What `autotune(…)` gives: launched like any kernel. `compile` and `trace` take the configuration that was chosen for their key, else the
 * first that is not skipped and that compiles. `bench` chooses as `launch` does, and times the chosen one.
 */
export interface TunedKernel<P extends readonly unknown[], C = unknown> extends Kernel<P> {
  /** What has been chosen so far, oldest first. */
  choices(): readonly AutotuneChoice<C>[];
}

/** What a kernel was traced into: docs/ir.md lists the operations. */
export interface OpGraph {
  /** The graph as text. */
  toString(): string;
}

/** What a kernel is at one point of its compilation. docs/stages.md shows how to look at them. */
export interface Stage {
  /** "trace" for what tracing gave, the name of a pass for what it made of that, "ptx" at the end. Some passes run more than once. */
  readonly name: string;
  /**
   * How close to the machine it is: "tile" for what the author said, "machine" for scalars, addresses and registers, "mixed" for what is
   * on its way from the one to the other, "ptx".
   */
  readonly level: "tile" | "mixed" | "machine" | "ptx";
  /** The op graph as text, each operation with the author's line behind it as a comment, `; gemm.ts:12:5`; of "ptx" the PTX. */
  readonly text: string;
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
/** What `report` takes. W2601, W7015, W7046. */
export interface ReportOptions {
  /** Blocks. Default: what the kernel's options say. */
  readonly grid?: Dim;
  /** Microseconds of a launch that was measured, as `bench` gives them: the report says where it stands under the roof. */
  readonly us?: number;
  /** The GPU whose roof is meant. Default: that of an open device, where it is one of these, else "H200". */
  readonly gpu?: GpuName;
}
/** A kernel compiled for some shapes and static values: the text of its stages, and what it takes. */
export interface Compiled {
  /** PTX for `sm_90a`: what the driver and the emulator get. */
  readonly ptx: string;
  /** The op graph after all passes. */
  readonly graph: OpGraph;
  /**
   * What it was after tracing and after each pass of the compiler, and its PTX. The kernel is compiled again for them when they are first
   * asked for. W7529 where its function does something else this time.
   */
  readonly stages: readonly Stage[];
  /** What the compiler did that costs something and is no error: conversions of tiles from one layout to another, long loops that unroll. */
  readonly remarks: readonly Remark[];
  /** Registers, shared memory and spills. */
  readonly resources: Resources;
  /**
   * What the kernel costs: occupancy and what limits it, registers and spills with their lines, bytes and operations of a launch, and where it stands under
   * the roof of a GPU. Registers are known where there is a `ptxas` or an open CUDA device. docs/report.md. W2601, W7015, W7046.
   */
  report(options?: ReportOptions): KernelReport;
  /** Machine code as text. Only where the CUDA toolkit is installed. */
  sass(): string | undefined;
}
