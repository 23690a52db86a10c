/** What `warpsmith` and `warpsmith/runtime` both have: devices, their tensors, and errors. */
export { type Code, type Span, WarpsmithError } from "../base/diag/index.ts";
export type { Dim, Dims, DType, Element, Shape } from "../base/types.ts";
export type {
  Device,
  DeviceProbe,
  DeviceTensor,
  EmulatorSettings,
  FoundDevice,
  Graph,
  HostArray,
  HostFloats,
  Stream,
  TensorAtOptions,
} from "./index.ts";
export { openDevice, probeDevices } from "./index.ts";
