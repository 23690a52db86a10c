/// <reference lib="esnext.disposable" preserve="true" />
/** What the host sees of devices and their memory. Types only. */
import type { DType, Element, Shape, TensorSpec } from "../base/types.ts";

/** The typed arrays that `read` gives, apart from those of 16- and 8-bit floats (`HostFloats`). */
export type HostArray =
  | Float64Array
  | Float32Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Int16Array
  | Int8Array
  | Uint8Array;

/** A typed array of numbers that are exactly the 16- or 8-bit floats: `Float16Array` where the engine has it. */
export interface HostFloats extends Iterable<number> {
  /** The number at that place. */
  [index: number]: number;
  /** How many numbers there are. */
  readonly length: number;
  /** The memory behind them. */
  readonly buffer: ArrayBufferLike;
}

/** What `read` gives for an element type. */
export type HostArrayOf<D extends DType> = D extends "f64"
  ? Float64Array
  : D extends "f32" | "tf32"
    ? Float32Array
    : D extends "i32"
      ? Int32Array
      : D extends "u32"
        ? Uint32Array
        : D extends "i64"
          ? BigInt64Array
          : D extends "u64"
            ? BigUint64Array
            : D extends "i8"
              ? Int8Array
              : D extends "i16"
                ? Int16Array
                : D extends "f16" | "bf16" | "e4m3" | "e5m2"
                  ? HostFloats
                  : D extends "u16"
                    ? Uint16Array
                    : Uint8Array;

/** Device memory that the host holds. Freed by `using` or `dispose()`, at the latest with its device. */
export interface DeviceTensor<D extends DType = DType, R extends number = number> extends TensorSpec<D, R>, Disposable {
  /** The device on which it lives. */
  readonly device: Device;
  /**
   * The elements in row-major order of this view, whatever its strides. Waits for the stream. Throws what has failed on the device before: on the emulator what this
   * memory may depend on (docs/emulator.md). W7006, W7007, W7029, W7055, W7531.
   */
  read(): Promise<HostArrayOf<D>>;
  /** As many elements as the view has, in its row-major order; floats round to nearest even, fp8 saturates. */
  write(data: ArrayLike<Element<D>>): void;
  /**
   * Sets all elements of the view to one value, rounded as by `write`; in order with the other uses of the tensor. CUDA
   * `cuMemsetD32Async`. W7005, W7006.
   */
  fill(value: Element<D>): void;
  /** A view: the same memory. Without a permutation the dimensions are reversed. */
  transpose(...permutation: number[]): DeviceTensor<D, R>;
  /** A view: the same elements in another shape, outermost first, where that needs no copy. */
  reshape<const S extends Shape>(...shape: S): DeviceTensor<D, S["length"]>;
  /**
   * Where the first element lies on the device, in bytes: for other libraries in this process. Warpsmith does not see what they do there. The other way:
   * `device.tensorAt`.
   */
  address(): bigint;
  /** A view of the elements from `start` up to `stop`, per dimension; all of them where undefined. */
  slice(...ranges: (readonly [start: number, stop: number] | undefined)[]): DeviceTensor<D, R>;
  /** Frees the memory once the work that uses it is done. Of a view: only this view, never the memory. */
  dispose(): void;
}

/** An order of work on a device. The device's own stream is in order with every other one; two streams of your own are not. */
export interface Stream extends Disposable {
  /** The driver's `CUstream`, for other libraries in this process; undefined on the emulator. */
  readonly native: bigint | undefined;
  /** Waits until all its work is done, and throws what went wrong in it on the device, once. CUDA `cudaStreamSynchronize`. W7014, W7029. */
  sync(): Promise<void>;
}

/** Kernels that were captured together: one launch of it launches them all, in their order. */
export interface Graph extends Disposable {
  /**
   * Launches its kernels with the arguments they were captured with, in order with every other use of their tensors. Errors on the GPU
   * surface at the next `read` or `sync`. W7031, W7032.
   */
  launch(config?: {
    /** Where the graph runs. Default: the device's own stream, in order. */
    readonly stream?: Stream;
  }): void;
  /** Launches that are under way go on. */
  dispose(): void;
}

/** How the emulator runs kernels. CUDA devices take no notice of it. */
export interface EmulatorSettings {
  /**
   * What decides whatever the machine leaves open, such as when a copy lands and which warp goes first. `eager` (default): what
   * surprises least; copies land at once. `lazy`: copies and wgmma land when nothing else can go on. `torn`: as late, and in pieces.
   * A whole number below 2 ** 32: by that seed; the same seed, program and input do the same.
   */
  readonly schedule?: "eager" | "lazy" | "torn" | number;
  /** Which checks kernels run under: docs/checks.md. Default: `WARPSMITH_CHECK`, else `normal`. `strict` also reports what practice tolerates though the manual does not promise it. */
  readonly check?: "off" | "normal" | "strict";
  /**
   * Whether the checks of `normal` warn of what the PTX ISA does not promise and today's hardware lets pass. Default: of kernels of this language, not of PTX that
   * other compilers made.
   */
  readonly warnings?: boolean;
  /**
   * Worker threads that the blocks of a long launch are spread over, under `eager`; with checks, where blocks tell each other nothing:
   * docs/emulator.md. Default: as many as the machine runs at a time. 1: none.
   */
  readonly threads?: number;
}

/** How elements lie in memory that another library allocated. */
export interface TensorAtOptions {
  /** Elements between neighbours, for each dimension, outermost first. Default: row-major without gaps. No two elements share a place. */
  readonly strides?: Shape;
}

/** A GPU or the emulator, opened by `openDevice`. Tensors live on it, and kernels run where their tensors live. */
export interface Device extends AsyncDisposable {
  /** A GPU, or the emulator in this process. */
  readonly kind: "cuda" | "emulator";
  /** What the driver calls it, such as "NVIDIA H200"; of the emulator, "emulator". */
  readonly name: string;
  /** Streaming multiprocessors. */
  readonly multiprocessors: number;
  /**
   * A new tensor with these elements, in row-major order, converted as by `write`. `shape` is outermost first, in elements. CUDA
   * `cudaMalloc` and `cudaMemcpy`. W7002–W7005, W7007, W7027, W7029, W8005.
   */
  tensor<D extends DType, const S extends Shape>(dtype: D, shape: S, data: ArrayLike<Element<D>>): DeviceTensor<D, S["length"]>;
  /** A new tensor with undefined contents. CUDA `cudaMalloc`. W7002, W7003, W7007, W7029, W8005. */
  empty<D extends DType, const S extends Shape>(dtype: D, shape: S): DeviceTensor<D, S["length"]>;
  /** A new tensor of zeros. CUDA `cudaMalloc` and `cudaMemset`. W7002, W7003, W7007, W7029, W8005. */
  zeros<D extends DType, const S extends Shape>(dtype: D, shape: S): DeviceTensor<D, S["length"]>;
  /**
   * A tensor in memory that somebody else allocated and frees, such as another library in this process. `dispose` frees nothing of it. `address`: where the first
   * element lies on the device, in bytes, a multiple of the element's size. What Warpsmith does with tensors of one allocation is in order; with what others do to the
   * memory, order it yourself: `sync`, or `stream.native`. An address in a tensor of this device gives a view of that tensor. Refused where the memory is known not to
   * be there: CUDA `cuPointerGetAttribute`. W7002, W7003, W7007, W7057, W7058.
   */
  tensorAt<D extends DType, const S extends Shape>(
    dtype: D,
    shape: S,
    address: bigint,
    options?: TensorAtOptions,
  ): DeviceTensor<D, S["length"]>;
  /**
   * A new stream: in order with the device's own one where both use a tensor, and not with other streams of yours. CUDA
   * `cudaStreamCreate`. W7007, W7029.
   */
  stream(): Stream;
  /**
   * Runs `record`, whose launches on this device do not run but become a graph. Tensors stay the author's: the graph reads and writes
   * them whenever it is launched, and does not keep them. What is not a launch is refused, and so is a kernel that prints. W7029, W7030, W7034.
   */
  capture(record: () => void): Graph;
  /** Waits, and throws what went wrong on the device and no error has said yet: the first failure, the others in its `cause`. W7007, W7029. */
  sync(): Promise<void>;
  /**
   * Waits, frees the device with all its tensors, and throws what went wrong on the GPU if nobody has heard of it. `await using` calls it.
   */
  dispose(): Promise<void>;
}
