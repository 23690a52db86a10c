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
export { elementBytes, elementInfo } from "./dtype.ts";
export { decodeElements, encodeElements } from "./host-array.ts";
export { type Im2colOptions, im2colMap } from "./im2col-map.ts";
export { checkFits, checkLaunchShape, type LaunchShape, launchLimits, normalizeDim } from "./launch-config.ts";
export type { Im2colMap, Interleave, L2Promotion, TiledMap } from "./map-data.ts";
export { tensorSpec } from "./spec.ts";
export { encodeMap, type MapOptions, type TiledOptions, tiledMap } from "./tensor-map.ts";
export type { Device, DeviceTensor, HostArray, HostArrayOf, HostFloats, Stream } from "./types.ts";
