import { registerCuda } from "./cuda/index.ts";

// Kinds of device make themselves known to openDevice here: the one place that joins them.
registerCuda();

export { type Code, type Span, WarpsmithError } from "./diag/index.ts";
export * from "./dsl/public.ts";
export { kernel } from "./kernel/index.ts";
export type {
  BenchConfig, Compiled, HostArg, HostArgs, Kernel, KernelOptions, LaunchConfig, LogLine, OpGraph, Resources, SpecArgs, Timing,
} from "./kernel/types.ts";
export { openDevice, probeDevices, tensorSpec } from "./runtime/index.ts";
export type { Device, DeviceProbe, DeviceTensor, FoundDevice, HostArray, HostFloats, Stream } from "./runtime/index.ts";
export type { Dim, Dims, DType, Element, Shape, Swizzle, TensorSpec } from "./types.ts";
