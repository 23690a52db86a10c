/** What a report says of a kernel. Types only. */
import type { Remark, Span, Spans } from "../diag/index.ts";
import type { Dim3 } from "../types.ts";
import type { GpuName } from "./gpus.ts";
import type { Occupancy } from "./occupancy.ts";

/** What is counted of one tensor among the arguments, in bytes that are asked for: caches may have brought some of them before. */
export interface TensorTraffic {
  /** The author's name of it; `?` for memory that goes back to no one argument. */
  readonly name: string;
  /** Bytes of its elements; undefined where it is no tensor. */
  readonly bytes: number | undefined;
  readonly read: Traffic;
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
  /** All global memory: the sum of `tensors`. */
  readonly read: Traffic;
  readonly written: Traffic;
  readonly tensors: readonly TensorTraffic[];
  /** Bytes that have to come from memory and go there even where caches keep everything: of each tensor what is asked for, but no more than it has. */
  readonly leastBytes: number;
  /** Operations of the tensor cores, two for each product that is added, by the type of A. */
  readonly tensorOperations: Readonly<Record<string, number>>;
  /** Operations of floating-point arithmetic of threads, two for a fused multiply-add, by type. */
  readonly operations: Readonly<Record<string, number>>;
  /** Instructions: `wgmma` of a warpgroup, `mma` of a warp. */
  readonly wgmma: number;
  readonly mma: number;
  /** How often threads come to barriers: of the block, of the cluster, of the grid; arrivals at mbarriers and waits for them. */
  readonly barriers: {
    readonly block: number;
    readonly cluster: number;
    readonly grid: number;
    readonly arrivals: number;
    readonly waits: number;
  };
  /** Operations of both kinds for each of the least bytes. */
  readonly intensity: number;
  readonly notes: readonly CountNote[];
}

/** How long a launch takes at least on a GPU, if nothing but one kind of work counted. */
export interface Roofline {
  readonly gpu: GpuName;
  /** Where the figures of the GPU are from: a datasheet. */
  readonly source: string;
  /** Microseconds of the memory, the tensor cores and the arithmetic units. */
  readonly memoryUs: number;
  readonly tensorUs: number;
  readonly arithmeticUs: number;
  /** The longest of them. */
  readonly leastUs: number;
  /** Which one that is. */
  readonly boundBy: "memory" | "tensor cores" | "arithmetic";
  /** Operations for each byte from which on the memory is not the bound. */
  readonly ridge: number;
  /** Multiprocessors that have a block, of all: with fewer, the roof is lower. */
  readonly multiprocessors: { readonly used: number; readonly all: number };
  /** A launch that was measured. */
  readonly measured?: {
    readonly us: number;
    /** Tera-operations a second: of the tensor cores, and of arithmetic. */
    readonly tensorTflops: number;
    readonly tflops: number;
    /** Terabytes a second, of the least bytes. */
    readonly terabytes: number;
    /** `leastUs` over `us`. */
    readonly share: number;
  };
  /** What has been measured on such a GPU: terabytes a second of a copy, tera-operations a second of a product, and where. */
  readonly reached?: { readonly terabytes: number; readonly tflops: number; readonly source: string };
}

/** A change of a warpgroup's registers while the kernel runs: `setmaxnreg`. */
export interface RegisterChange {
  readonly count: number;
  readonly span: Span | undefined;
}

/** What a line has to do with local memory: bytes that the instructions of a thread store and load, each instruction once. */
export interface SpillLine {
  readonly span: Span;
  readonly storeBytes: number;
  readonly loadBytes: number;
}

/** What ptxas, or the device, says of a kernel. */
export interface AssembledFacts {
  /** Who says it: `ptxas`, or the driver of an open device. */
  readonly by: "ptxas" | "device";
  readonly registers: number;
  /** Barriers of a block. Undefined where only the device was asked. */
  readonly barriers: number | undefined;
  readonly staticSharedBytes: number;
  /** Local memory of a thread: spilled registers and arrays. */
  readonly localBytes: number;
  /** Bytes of instructions that spill, and that load again. Undefined where only the device was asked. */
  readonly spillStoreBytes: number | undefined;
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
  readonly block: Dim3;
  readonly cluster: Dim3;
  /** Of a block. */
  readonly threads: number;
  readonly warps: number;
  readonly dynamicSharedBytes: number;
  /** Undefined where there is no ptxas and the device that is open is none that runs it. */
  readonly assembled: AssembledFacts | undefined;
  /** Changes of registers by `setmaxnreg`. */
  readonly registerChanges: readonly RegisterChange[];
  readonly occupancy: Occupancy;
  /** Undefined without a grid. */
  readonly work: Work | undefined;
  /** Undefined without a grid. */
  readonly roofline: Roofline | undefined;
  /** What the compiler and ptxas did that costs something, with the lines. */
  readonly remarks: readonly Remark[];
  /** All of it, in lines of at most 100 columns. */
  toString(): string;
}
