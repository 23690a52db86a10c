/** `warpsmith`: what authors write kernels with, and devices to launch them on. */
import "./entries/shared/device-kinds.ts";
import { setSourceReader } from "./base/diag/index.ts";
import { readSource } from "./entries/shared/read-source.ts";

// Files with caret frames, which know nothing of each other. Kinds of device: device-kinds.ts.
setSourceReader(readSource);

export type { Remark, RemarkCode, Warning } from "./base/diag/index.ts";
export type { Swizzle, TensorSpec } from "./base/types.ts";
export * from "./dsl/public.ts";
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
  ProfileSummary,
  ProfileUnit,
  RoleShare,
  SpanKind,
  WaitShare,
  WorkShare,
} from "./inspect/profile/index.ts";
export type { PictureOptions, Profile } from "./inspect/profile/written.ts";
export type {
  AssembledFacts,
  CountNote,
  GpuName,
  KernelReport,
  Limiter,
  Occupancy,
  RegisterChange,
  Roofline,
  SpillLine,
  TensorTraffic,
  Traffic,
  Work,
} from "./inspect/report/index.ts";
export * from "./kernel/public.ts";
export { tensorSpec } from "./runtime/index.ts";
export * from "./runtime/public.ts";
