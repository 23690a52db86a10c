/**
 * What `kernel()` returns: joins tracing, compile.ts and the runtime in launch, compile, trace and bench. Launches go: arguments → instance (traced, compiled and
 * loaded once) → a launch of the backend. tune/ is the search for the fastest, with a face of its own.
 */

export { type Arguments, alignment, sortArguments } from "./arguments.ts";
export { type Instance, shapeOf } from "./instance.ts";
export { autotune, kernel, makeKernel } from "./kernel.ts";
export { prepare, start } from "./launch.ts";
export type { KernelParts } from "./launcher.ts";
export { profileLaunch } from "./profile.ts";
export type { KernelSource } from "./source.ts";
export { openTimeline, roomFor } from "./timeline.ts";
export type {
  AutotuneChoice,
  AutotuneOptions,
  AutotuneTrial,
  BenchConfig,
  Compiled,
  HostArg,
  HostArgs,
  Kernel,
  KernelAt,
  KernelOptions,
  LaunchConfig,
  LogLine,
  OpGraph,
  ProfileConfig,
  ReportOptions,
  Resources,
  SpecArgs,
  Stage,
  Timing,
  TunedKernel,
} from "./types.ts";
export { partsOf } from "./value.ts";
