/** What the host sees of a PTX module. Types only. */

import type { Im2colMap, TiledMap } from "../../base/tensor-map.ts";
import type { Dim, Dim3, DType, Shape } from "../../base/types.ts";
import type { Device, DeviceTensor, Stream } from "../../runtime/index.ts";

/** A value whose type the host says, made by `scalar`, `struct` or `pointer`: an argument, or a member of a structure. */
export interface PtxValue {
  /** What it takes, in bytes. */
  readonly bytes: number;
  /** At multiples of how many bytes C puts it. */
  readonly align: number;
}

/** A tensor map over device memory: each `TMA` of the package is one. */
export interface PtxTensorMap {
  /** What the hardware is told. */
  readonly map: TiledMap | Im2colMap;
  /** The memory that it is a map of. */
  readonly tensor: object;
}

/**
 * What a parameter takes: a number or boolean, converted to the type that the PTX gives the parameter; a bigint for integers; a tensor as
 * its address; a tensor map as its 128 bytes; a typed array or DataView as its bytes; or a value whose type you say.
 */
export type PtxArgument = number | bigint | boolean | DeviceTensor | PtxTensorMap | ArrayBufferView | PtxValue;

/** A parameter of an entry, as the PTX declares it. */
export interface PtxParameter {
  /** Its name in the PTX. */
  readonly name: string;
  /** Its type in PTX, such as `u32` or `f32`; of structures and of bytes `b8`. */
  readonly type: string;
  /** What it takes, in bytes. */
  readonly bytes: number;
  /** At multiples of how many bytes it lies. */
  readonly align: number;
}

/** Where and how one launch of an entry runs. CUDA `<<<grid, block, smem, stream>>>`. W2601. */
export interface PtxLaunchConfig {
  /** Blocks. */
  readonly grid: Dim;
  /** Threads in a block. Default: what the PTX asks for (`.reqntid`); where it asks for nothing, it has to be given. */
  readonly block?: Dim;
  /** Blocks in a cluster. Default: what the PTX asks for (`.reqnctapercluster`), else 1. */
  readonly cluster?: Dim;
  /** Bytes of dynamic shared memory per block. Default 0. */
  readonly smem?: number;
  /** Needed only when no argument lives on a device and more than one device is open. */
  readonly device?: Device;
  /** Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** Let this kernel start before the previous one of its stream ends. CUDA `cudaLaunchAttributeProgrammaticStreamSerialization`. */
  readonly overlapPrevious?: boolean;
  /** All blocks run at the same time and may wait for each other. CUDA `cudaLaunchCooperativeKernel`. Default false. */
  readonly cooperative?: boolean;
}

/** A kernel of a PTX module: an `.entry`. */
export interface PtxEntry {
  /** Its name in the PTX. */
  readonly name: string;
  /** Its name as C++ writes it, with parameters; where it is none of C++, the same as `name`. */
  readonly demangled: string;
  /** In the order of the arguments. */
  readonly parameters: readonly PtxParameter[];
  /** Shared memory that it, and what it calls, declares, in bytes. */
  readonly staticSharedBytes: number;
  /** Threads that a block must have (`.reqntid`). */
  readonly block: Dim3 | undefined;
  /** Blocks that a cluster must have (`.reqnctapercluster`). */
  readonly cluster: Dim3 | undefined;
  /** Instructions in the PTX, without those that it calls. */
  readonly instructions: number;
  /**
   * Checks every argument, loads the module where this device does not have it yet, and enqueues. What fails on the device surfaces at
   * the next `read` or `sync`. W7012, W7013, W7016–W7021, W7024, W7805, W7806, W7809, W7812, W8006.
   */
  launch(config: PtxLaunchConfig, ...args: readonly PtxArgument[]): void;
}

/** A variable of a PTX module in global or constant memory: `__device__`, `__constant__` or `__managed__` in CUDA C++. */
export interface PtxVariable {
  /** Its name in the PTX. */
  readonly name: string;
  /** Its name as C++ writes it; where it is none of C++, the same as `name`. */
  readonly demangled: string;
  /** Where it lies. */
  readonly space: "global" | "const";
  /** Its type in PTX, such as `f32`; of structures and of bytes `b8`. */
  readonly type: string;
  /** Elements per dimension, outermost first; empty for a scalar. */
  readonly shape: Shape;
  /** What it takes, in bytes. */
  readonly bytes: number;
}

/** How a variable is looked at. W2601. */
export interface PtxVariableOptions<D extends DType = DType> {
  /** On which device. Needed only when more than one is open. */
  readonly device?: Device;
  /** What its bytes are taken for. Default: as the PTX declares it; `b8` is u8, `b16` u16, `b32` u32, `b64` u64. */
  readonly dtype?: D;
  /** Default: as the PTX declares it; with a `dtype`, as many elements as it has room for. */
  readonly shape?: Shape;
}

/** A PTX module. Each device that it is used on gets it once, with one copy of its variables for all launches. */
export interface PtxModule {
  /** What messages call it: its file, where it came from one. */
  readonly file: string;
  /** Its kernels, in the order of the text. */
  readonly entries: readonly PtxEntry[];
  /** Its variables in global and constant memory, in the order of the text. */
  readonly variables: readonly PtxVariable[];
  /**
   * The entry of that name, as in the PTX or as in C++ (`scale`, `ns::scale<float>`, `scale(float*, int)`); without a name, the only one.
   * W7804, W7807.
   */
  entry(name?: string): PtxEntry;
  /**
   * A variable as a tensor in the memory of the device: `read()` and `write()` it, or pass it to kernels. The name is one of the PTX or of
   * C++. CUDA `cudaMemcpyFromSymbol`, `cudaGetSymbolAddress`. W7807, W7808, W7811.
   */
  variable<D extends DType = DType>(name: string, options?: PtxVariableOptions<D>): DeviceTensor<D>;
}

/** Where the text of a module comes from. W2601. */
export interface PtxFile {
  /** The path of a PTX file, or its `file:` URL: `new URL("saxpy.ptx", import.meta.url)` is beside the module that says it. */
  readonly file: string | URL;
}
