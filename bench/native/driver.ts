import { bind, take32, take64, takeText } from "./bind.ts";

const dim3 = ["u32", "u32", "u32"] as const;

/** What the benchmarks call of the CUDA driver themselves (CUDA driver API reference, 12.x), in the context that `openDevice` made current. */
const symbols = {
  cuDriverGetVersion: ["pointer"],
  cuCtxGetDevice: ["pointer"],
  cuDeviceGetPCIBusId: ["pointer", "i32", "i32"],
  cuEventCreate: ["pointer", "u32"],
  cuEventDestroy_v2: ["u64"],
  cuEventRecord: ["u64", "u64"],
  cuEventSynchronize: ["u64"],
  cuEventElapsedTime: ["pointer", "u64", "u64"],
  cuStreamSynchronize: ["u64"],
  cuMemAlloc_v2: ["pointer", "size"],
  cuMemFree_v2: ["u64"],
  cuMemsetD32Async: ["u64", "u32", "size", "u64"],
  cuMemcpyDtoDAsync_v2: ["u64", "u64", "size", "u64"],
  cuStreamBeginCapture_v2: ["u64", "i32"],
  cuStreamEndCapture: ["u64", "pointer"],
  cuGraphInstantiateWithFlags: ["pointer", "u64", "u64"],
  cuGraphLaunch: ["u64", "u64"],
  cuGraphDestroy: ["u64"],
  cuGraphExecDestroy: ["u64"],
  cuModuleLoadData: ["pointer", "pointer"],
  cuModuleUnload: ["u64"],
  cuModuleGetFunction: ["pointer", "u64", "text"],
  cuFuncSetAttribute: ["u64", "i32", "i32"],
  cuLaunchKernel: ["u64", ...dim3, ...dim3, "u32", "u64", "pointer", "pointer"],
  cuTensorMapEncodeTiled: [
    ...(["pointer", "i32", "u32", "u64", "pointer", "pointer", "pointer", "pointer"] as const),
    ...(["i32", "i32", "i32", "i32"] as const),
  ],
} as const;

export type Driver = ReturnType<typeof bind<typeof symbols>>;

/** Loads what `openDevice` has loaded before: the same library, the same context. */
export const loadDriver = (): Driver => bind(process.platform === "win32" ? "nvcuda.dll" : "libcuda.so.1", symbols);

/** Throws where the driver refuses. */
export function check(code: number, what: string): void {
  if (code !== 0) throw new Error(`${what}: the driver answered ${code}`);
}

export const cudaVersion = (driver: Driver): string => {
  const version = take32((out) => check(driver.cuDriverGetVersion(out), "the driver's version"));
  return `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
};

/** "0000:1b:00.0", by which NVML knows the current device. */
export function busIdOf(driver: Driver): string {
  const device = take32((out) => check(driver.cuCtxGetDevice(out), "the current device"));
  return takeText(32, (out) => check(driver.cuDeviceGetPCIBusId(out, out.length, device), "the device's bus id"));
}

/** Memory outside the package's own allocator. */
export const allocate = (driver: Driver, bytes: number): bigint =>
  take64((out) => check(driver.cuMemAlloc_v2(out, bytes), `allocate ${bytes} bytes`));
