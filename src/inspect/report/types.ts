/** What a report says of a kernel. Types only. */
import type { Remark, Span, Spans } from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";
import type { GpuName } from "./gpus.ts";
import type { Occupancy } from "./occupancy.ts";

/** What is counted of one tensor among the arguments, in bytes that are asked for: caches may have brought some of them before. */
export interface TensorTraffic {
  /** The author's name of it; `?` for memory that goes back to no one argument. */
  readonly name: string;
  /** Bytes of its elements; undefined where it is no tensor. */
  readonly bytes: number | undefined;
  /** What is read of it. */
  readonly read: Traffic;
  /** What is written to it. */
  readonly written: Traffic;
}

/** Bytes between global memory and a launch. */
export interface Traffic {
  /** By loads, stores and atomics of threads, and `cp.async`. */
  readonly threads: number;
  /** By TMA, with a tensor map or in one piece: whole boxes, what lies outside of the tensor too. */
  readonly tma: number;
}

/** Why a count of `Work` is no exact one. */
export interface CountNote {
  /**
   * `branch`: either side may run, and the larger count stands. `predicate`: counted as if it were true. `loop`: how often it runs is not known, and it is counted once.
   * `bytes`, `box`: how much is moved is not known, and counted as nothing. `ptx`: PTX of the author's is not counted. `blocks`: some blocks were not looked at one by one.
   */
  readonly kind: "branch" | "loop" | "predicate" | "bytes" | "box" | "ptx" | "blocks";
  /** A sentence. */
  readonly message: string;
  /** The author's places. */
  readonly spans: Spans;
}

/** What a launch does, counted from its op graph. */
export interface Work {
  /** Nothing is in `notes`: the counts are what runs. */
  readonly exact: boolean;
  /** All that is read from global memory: the sum of `tensors`. */
  readonly read: Traffic;
  /** All that is written to global memory. */
  readonly written: Traffic;
  /** Each tensor among the arguments that is touched. */
  readonly tensors: readonly TensorTraffic[];
  /** Bytes that have to come from memory and go there even where caches keep everything: of each tensor what is asked for, but no more than it has. */
  readonly leastBytes: number;
  /** Operations of the tensor cores, two for each product that is added, by the type of A. */
  readonly tensorOperations: Readonly<Record<string, number>>;
  /** Operations of floating-point arithmetic of threads, two for a fused multiply-add, by type. */
  readonly operations: Readonly<Record<string, number>>;
  /** Instructions of warpgroups, `wgmma.mma_async`. */
  readonly wgmma: number;
  /** Instructions of warps, `mma.sync` and `wmma.mma`. */
  readonly mma: number;
  /** How often threads come to barriers: of the block, of the cluster, of the grid; arrivals at mbarriers and waits for them. */
  readonly barriers: {
    /** Threads that come to barriers of the block. */
    readonly block: number;
    /** Threads that arrive at the barrier of the cluster. */
    readonly cluster: number;
    /** Threads that come to the barrier of the grid. */
    readonly grid: number;
    /** Arrivals of threads at mbarriers. */
    readonly arrivals: number;
    /** Waits of threads for mbarriers. */
    readonly waits: number;
  };
  /** Operations of both kinds for each of the least bytes. */
  readonly intensity: number;
  /** Where counts are no exact ones, and why. */
  readonly notes: readonly CountNote[];
}

/** How long a launch takes at least on a GPU, if nothing but one kind of work counted. */
export interface Roofline {
  /** Whose roof it is. */
  readonly gpu: GpuName;
  /** Where the figures of the GPU are from: a datasheet. */
  readonly source: string;
  /** Microseconds of the memory. */
  readonly memoryUs: number;
  /** Microseconds of the tensor cores. */
  readonly tensorUs: number;
  /** Microseconds of the arithmetic units. */
  readonly arithmeticUs: number;
  /** The longest of them. */
  readonly leastUs: number;
  /** Which one that is. */
  readonly boundBy: "memory" | "tensor cores" | "arithmetic";
  /** Operations for each byte from which on the memory is not the bound. */
  readonly ridge: number;
  /** Where fewer than all have work, the GPU gets less far. */
  readonly multiprocessors: {
    /** Those that get a block. */
    readonly used: number;
    /** All of the GPU. */
    readonly all: number;
  };
  /** A launch that was measured. */
  readonly measured?: {
    /** Microseconds, as the report was given them. */
    readonly us: number;
    /** Tera-operations a second of the tensor cores. */
    readonly tensorTflops: number;
    /** Tera-operations a second of arithmetic. */
    readonly tflops: number;
    /** Terabytes a second, of the least bytes. */
    readonly terabytes: number;
    /** `leastUs` over `us`. */
    readonly share: number;
  };
  /** What has been measured on such a GPU; undefined where nothing has. */
  readonly reached?: {
    /** Terabytes a second of a copy. */
    readonly terabytes: number;
    /** Tera-operations a second of a product of 16-bit numbers. */
    readonly tflops: number;
    /** The records that say so. */
    readonly source: string;
  };
}

/** A change of a warpgroup's registers while the kernel runs: `setmaxnreg`. */
export interface RegisterChange {
  /** Registers of a thread from there on. */
  readonly count: number;
  /** The author's place. */
  readonly span: Span | undefined;
}

/** What a line has to do with local memory: bytes that the instructions of a thread store and load, each instruction once. */
export interface SpillLine {
  /** The author's line. */
  readonly span: Span;
  /** Bytes that instructions of a thread store to local memory. */
  readonly storeBytes: number;
  /** Bytes that instructions of a thread load from it. */
  readonly loadBytes: number;
}

/** What ptxas, or the device, says of a kernel. */
export interface AssembledFacts {
  /** Who says it: `ptxas`, or the driver of an open device. */
  readonly by: "ptxas" | "device";
  /** Of a thread. */
  readonly registers: number;
  /** Barriers of a block. Undefined where only the device was asked. */
  readonly barriers: number | undefined;
  /** Shared memory of a block that the code itself declares. */
  readonly staticSharedBytes: number;
  /** Local memory of a thread: spilled registers and arrays. */
  readonly localBytes: number;
  /** Bytes of instructions that spill, and that load again. Undefined where only the device was asked. */
  readonly spillStoreBytes: number | undefined;
  /** The same of the instructions that load again. */
  readonly spillLoadBytes: number | undefined;
  /** The lines they are from, the most bytes first. */
  readonly spillLines: readonly SpillLine[];
}

/** What a kernel costs: `kernel.compile(…).report()`. As text with `String(report)`. */
export interface KernelReport {
  /** The kernel with its arguments, `gemm(a: TMA, d: f32[512,256])`. */
  readonly title: string;
  /** Where its function stands. */
  readonly place: Span | undefined;
  /** What it is compiled for, `sm_90a`. */
  readonly target: string;
  /** Undefined where neither the kernel's options nor the report's say it. */
  readonly grid: Dim3 | undefined;
  /** Threads of a block. */
  readonly block: Dim3;
  /** Blocks of a cluster. */
  readonly cluster: Dim3;
  /** Of a block. */
  readonly threads: number;
  /** Of a block. */
  readonly warps: number;
  /** Of a block: what `sharedMemory.alloc`, `sharedMemory.dynamic` and barriers take together. */
  readonly dynamicSharedBytes: number;
  /** Undefined where there is no ptxas and the device that is open is none that runs it. */
  readonly assembled: AssembledFacts | undefined;
  /** Changes of registers by `setmaxnreg`. */
  readonly registerChanges: readonly RegisterChange[];
  /** How many blocks fit a multiprocessor. */
  readonly occupancy: Occupancy;
  /** Undefined without a grid. */
  readonly work: Work | undefined;
  /** Undefined without a grid. */
  readonly roofline: Roofline | undefined;
  /** What the compiler and ptxas did that costs something, with the lines. */
  readonly remarks: readonly Remark[];
  /** All of it, in lines of at most 100 columns. */
  toString(): string;
  /** A drawing, as SVG: how long each kind of work takes at least and what was measured, and what limits the blocks of a multiprocessor. */
  toPicture(): string;
}
