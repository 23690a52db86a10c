import { readFileSync } from "node:fs";
import { registerCuda } from "./cuda/index.ts";
import { setSourceReader } from "./diag/index.ts";

// The one place that joins what knows nothing of each other: kinds of device with openDevice, files with caret frames.
registerCuda();
setSourceReader((file) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
});

export { type Code, type Span, WarpsmithError } from "./diag/index.ts";
export * from "./dsl/public.ts";
export { kernel } from "./kernel/index.ts";
export type {
  BenchConfig, Compiled, HostArg, HostArgs, Kernel, KernelOptions, LaunchConfig, LogLine, OpGraph, Resources, SpecArgs, Timing,
} from "./kernel/types.ts";
export { openDevice, probeDevices, tensorSpec } from "./runtime/index.ts";
export type { Device, DeviceProbe, DeviceTensor, FoundDevice, HostArray, HostFloats, Stream } from "./runtime/index.ts";
export type { Dim, Dims, DType, Element, Shape, Swizzle, TensorSpec } from "./types.ts";
