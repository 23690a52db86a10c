export type {
  BackendEvent,
  BackendStream,
  DeviceBackend,
  Launch,
  LoadedModule,
  MappedMemory,
  ModuleOptions,
  ParameterBlock,
} from "./backend.ts";
export {
  addressOf,
  backendOf,
  chooseDevice,
  isDeviceTensor,
  onSettled,
  openDevices,
  prepareStream,
  RuntimeDevice,
} from "./device.ts";
export {
  type DeviceKind,
  type DeviceKindName,
  type DeviceProbe,
  type FoundDevice,
  openDevice,
  probeDevices,
  registerDeviceKind,
} from "./device-registry.ts";
export { encodeMap } from "./encode-map.ts";
export { decodeElements, encodeElements } from "./host-array.ts";
export { checkFits, checkLaunchShape, normalizeDim } from "./launch-config.ts";
export { tensorSpec } from "./spec.ts";
export type { Device, DeviceTensor, EmulatorSettings, HostArray, HostFloats, Stream } from "./types.ts";
