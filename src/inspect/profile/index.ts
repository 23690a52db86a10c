/**
 * What happened in a launch, by time, on every device: the data, sums over it, and marks. It runs where no Node is; what writes files
 * of a profile is written.ts.
 */
export { chromeTrace, type TraceEvent, type TraceFile } from "./chrome-trace.ts";
export { markedLaunch } from "./marked-launch.ts";
export { readMarks, type TimedMark } from "./marks.ts";
export { type Deed, roleAfter } from "./role-after.ts";
export { type ProfileSummary, type RoleShare, summarize, type WaitShare, type WorkShare } from "./summary.ts";
export { readTimeline } from "./timeline/read-timeline.ts";
export type { RecordedLaunch, TimelineSite } from "./timeline/types.ts";
export type {
  ArrowEnd,
  IssuedWork,
  Latency,
  MarkKind,
  MarkRecord,
  ProfileArrow,
  ProfileBlock,
  ProfileCount,
  ProfileData,
  ProfileInstant,
  ProfileLane,
  ProfileSink,
  ProfileSpan,
  ProfileUnit,
  SpanKind,
} from "./types.ts";
