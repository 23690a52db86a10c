/**
 * The functions of the CUDA driver that this package calls, with their parameters (CUDA driver API reference, 12.x). Each gives a
 * CUresult. Handles and device addresses are 64-bit integers; `pointer` is memory of the host.
 */

/** How a parameter crosses. The key is the kind, the value koffi's name of its C type. */
export const cTypes = {
  pointer: "void *",
  u64: "uint64",
  size: "size_t",
  u32: "uint32",
  i32: "int32",
  u16: "uint16",
  u8: "uint8",
  text: "str",
} as const;

export interface Kinds {
  pointer: ArrayBufferView | bigint | null;
  u64: bigint;
  size: number;
  u32: number;
  i32: number;
  u16: number;
  u8: number;
  text: string;
}
type Kind = keyof Kinds;

const grid = ["u32", "u32", "u32"] as const;

export const symbols = {
  cuInit: ["u32"],
  cuDriverGetVersion: ["pointer"],

  cuDeviceGetCount: ["pointer"],
  cuDeviceGet: ["pointer", "i32"],
  cuDeviceGetName: ["pointer", "i32", "i32"],
  cuDeviceGetAttribute: ["pointer", "i32", "i32"],
  cuDeviceGetDefaultMemPool: ["pointer", "i32"],
  cuMemPoolSetAttribute: ["u64", "i32", "pointer"],
  cuDevicePrimaryCtxRetain: ["pointer", "i32"],
  cuDevicePrimaryCtxRelease_v2: ["i32"],
  cuCtxSetCurrent: ["u64"],

  cuMemGetInfo_v2: ["pointer", "pointer"],
  cuMemAlloc_v2: ["pointer", "size"],
  cuMemFree_v2: ["u64"],
  cuMemAllocAsync: ["pointer", "size", "u64"],
  cuMemFreeAsync: ["u64", "u64"],
  cuMemHostAlloc: ["pointer", "size", "u32"],
  cuMemFreeHost: ["pointer"],
  cuMemHostGetDevicePointer_v2: ["pointer", "pointer", "u32"],
  /** Value, attribute, address. */
  cuPointerGetAttribute: ["pointer", "i32", "u64"],
  cuMemcpyHtoDAsync_v2: ["u64", "pointer", "size", "u64"],
  cuMemcpyDtoHAsync_v2: ["pointer", "u64", "size", "u64"],
  cuMemcpyDtoDAsync_v2: ["u64", "u64", "size", "u64"],
  cuMemsetD8Async: ["u64", "u8", "size", "u64"],
  cuMemsetD16Async: ["u64", "u16", "size", "u64"],
  cuMemsetD32Async: ["u64", "u32", "size", "u64"],

  cuStreamCreate: ["pointer", "u32"],
  cuStreamDestroy_v2: ["u64"],
  cuStreamBeginCapture_v2: ["u64", "i32"],
  cuStreamEndCapture: ["u64", "pointer"],
  cuGraphInstantiateWithFlags: ["pointer", "u64", "u64"],
  cuGraphLaunch: ["u64", "u64"],
  cuGraphDestroy: ["u64"],
  cuGraphExecDestroy: ["u64"],
  cuStreamWaitEvent: ["u64", "u64", "u32"],
  cuEventCreate: ["pointer", "u32"],
  cuEventDestroy_v2: ["u64"],
  cuEventRecord: ["u64", "u64"],
  cuEventQuery: ["u64"],
  cuEventElapsedTime: ["pointer", "u64", "u64"],

  cuModuleLoadDataEx: ["pointer", "pointer", "u32", "pointer", "pointer"],
  cuModuleUnload: ["u64"],
  cuModuleGetFunction: ["pointer", "u64", "text"],
  /** Address, bytes, module, name. */
  cuModuleGetGlobal_v2: ["pointer", "pointer", "u64", "text"],
  cuFuncGetAttribute: ["pointer", "i32", "u64"],
  cuFuncSetAttribute: ["u64", "i32", "i32"],
  cuOccupancyMaxActiveBlocksPerMultiprocessor: ["pointer", "u64", "i32", "size"],

  /** Function, grid, block, shared bytes, stream, parameters, extra. */
  cuLaunchKernel: ["u64", ...grid, ...grid, "u32", "u64", "pointer", "pointer"],
  /** CUlaunchConfig, function, parameters, extra. */
  cuLaunchKernelEx: ["pointer", "u64", "pointer", "pointer"],

  cuTensorMapEncodeTiled: [
    "pointer",
    "i32",
    "u32",
    "u64",
    "pointer",
    "pointer",
    "pointer",
    "pointer",
    "i32",
    "i32",
    "i32",
    "i32",
  ],
  cuTensorMapEncodeIm2col: [
    ...(["pointer", "i32", "u32", "u64", "pointer", "pointer", "pointer", "pointer", "u32", "u32", "pointer"] as const),
    ...(["i32", "i32", "i32", "i32"] as const),
  ],

  cuArray3DCreate_v2: ["pointer", "pointer"],
  cuArrayDestroy: ["u64"],
  /** CUDA_MEMCPY3D, stream. */
  cuMemcpy3DAsync_v2: ["pointer", "u64"],
  /** Handle, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUDA_RESOURCE_VIEW_DESC. */
  cuTexObjectCreate: ["pointer", "pointer", "pointer", "pointer"],
  cuTexObjectDestroy: ["u64"],
  cuSurfObjectCreate: ["pointer", "pointer"],
  cuSurfObjectDestroy: ["u64"],
} as const satisfies Record<string, readonly Kind[]>;

/** Functions that drivers may lack: what they are for is left out then. */
export const optionalSymbols = {
  /** Device, flags, whether the context is there. */
  cuDevicePrimaryCtxGetState: ["i32", "pointer", "pointer"],
  cuDevicePrimaryCtxSetFlags_v2: ["i32", "u32"],
  /** Attribute, value, its bytes. */
  cuCoredumpGetAttributeGlobal: ["i32", "pointer", "pointer"],
  cuCoredumpSetAttribute: ["i32", "pointer", "pointer"],
} as const satisfies Record<string, readonly Kind[]>;

export type OptionalSymbolName = keyof typeof optionalSymbols;
export type SymbolName = keyof typeof symbols;
type Arguments<P extends readonly Kind[]> = { -readonly [I in keyof P]: Kinds[P[I]] };

/** The driver's functions as JavaScript calls them. Each gives a CUresult: 0 is success. */
export type Driver = { readonly [S in SymbolName]: (...args: Arguments<(typeof symbols)[S]>) => number } & {
  readonly [S in OptionalSymbolName]?: (...args: Arguments<(typeof optionalSymbols)[S]>) => number;
};

/** Host memory as the driver sees it. */
export interface HostMemory {
  /** Where the bytes of a view lie. They stay there as long as the view lives. */
  addressOf(view: ArrayBufferView): bigint;
  /** Memory that the driver allocated, without a copy; not to be touched once it is freed. */
  viewOf(address: bigint, bytes: number): Uint8Array;
}

export interface DriverLibrary {
  readonly driver: Driver;
  readonly memory: HostMemory;
  /** From now on the end of the process does not call the driver, which would wait for a kernel that hangs. Undefined where that cannot be had. */
  readonly leaveAtExit?: () => void;
}
