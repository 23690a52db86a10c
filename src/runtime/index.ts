export type {
  BackendArray,
  BackendEvent,
  BackendGraph,
  BackendStream,
  DeviceBackend,
  ForeignMemory,
  Launch,
  LaunchTurn,
  LoadedModule,
  MappedMemory,
  ModuleImage,
  ModuleOptions,
  NamedMemory,
  ParameterBlock,
  TextureBackend,
  WatchedLaunch,
  WatchRecords,
} from "./backend.ts";
export {
  addressOf,
  backendOf,
  captureOf,
  chooseDevice,
  encodeMap,
  failLater,
  isDeviceTensor,
  onSettled,
  openDevices,
  prepareStream,
  RuntimeDevice,
  readBytes,
  refuseInCapture,
  roomOf,
  type VariableMemory,
  variableMemory,
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
export { checkDType, elementBytes } from "./dtype.ts";
export { decodeElements, encodeElements } from "./host-array.ts";
export { checkFits, checkLaunchShape, normalizeDim } from "./launch-config.ts";
export { checkScalar, type ScalarParameterType, scalarParameter } from "./scalars.ts";
export { countElements, gather, rowMajorStrides, spanElements, tensorSpec } from "./shape.ts";
export type {
  Device,
  DeviceTensor,
  EmulatorSettings,
  Graph,
  HostArray,
  HostArrayOf,
  HostFloats,
  Stream,
  TensorAtOptions,
} from "./types.ts";
