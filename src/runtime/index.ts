/**
 * Devices as their users have them: the interface, tensors in memory, streams, graphs, the registry of kinds. A kind of device (cuda, emulator) implements
 * `DeviceBackend`. What authors see is public.ts.
 */
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
  PtxPlace,
  TextureBackend,
  WatchedLaunch,
  WatchQuestions,
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
export { endsAfter } from "./foreign-memory.ts";
export { decodeElements, encodeElements } from "./host-array.ts";
export { checkFits, checkLaunchShape, normalizeDim } from "./launch-config.ts";
export { createModuleCache, type Loaded, type ModuleCache } from "./module-cache.ts";
export { checkScalar, type ScalarParameterType, type ScalarValue, scalarParameter } from "./scalars.ts";
export { countElements, gather, spanElements, tensorSpec } from "./shape.ts";
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
