/** What authors have of this room. */
export { autotune, kernel } from "./kernel.ts";
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
