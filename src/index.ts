import { setSourceReader } from "./diag/index.ts";
import { readSource } from "./read-source.ts";
import { registerDeviceKind } from "./runtime/index.ts";

// The one place that joins what knows nothing of each other: kinds of device with openDevice, files with caret frames.
// Each is loaded when somebody looks for it: who only compiles, or has a GPU, does not wait for the others.
const cuda = async () => (await import("./cuda/index.ts")).cudaKind;
registerDeviceKind({
  kind: "cuda",
  probe: async () => (await cuda()).probe(),
  open: async (...given) => (await cuda()).open(...given),
});
registerDeviceKind({
  kind: "emulator",
  probe: async () => ({ kind: "emulator", devices: [{ index: 0, name: "emulator", computeCapability: [9, 0] }] }),
  open: async (...given) => (await import("./open-emulator.ts")).openEmulator(...given),
});
setSourceReader(readSource);

export { type Code, type Remark, type RemarkCode, type Span, WarpsmithError } from "./diag/index.ts";
export * from "./dsl/public.ts";
export { autotune, kernel } from "./kernel/index.ts";
export type {
  AutotuneChoice,
  AutotuneOptions,
  AutotuneTrial,
  BenchConfig,
  Compiled,
  HostArg,
  HostArgs,
  Kernel,
  KernelOptions,
  LaunchConfig,
  LogLine,
  OpGraph,
  ProfileConfig,
  Resources,
  SpecArgs,
  Stage,
  Timing,
  TunedKernel,
} from "./kernel/types.ts";
export type { ProfileSummary, RoleShare, WaitShare, WorkShare } from "./profile/index.ts";
export type { PictureOptions } from "./profile/picture.ts";
export type { Profile } from "./profile/profile.ts";
export type {
  ArrowEnd,
  IssuedWork,
  Latency,
  ProfileArrow,
  ProfileBlock,
  ProfileCount,
  ProfileData,
  ProfileInstant,
  ProfileLane,
  ProfileSpan,
  ProfileUnit,
  SpanKind,
} from "./profile/types.ts";
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
} from "./runtime/index.ts";
export { openDevice, probeDevices, tensorSpec } from "./runtime/index.ts";
export type { Dim, Dims, DType, Element, Shape, Swizzle, TensorSpec } from "./types.ts";
