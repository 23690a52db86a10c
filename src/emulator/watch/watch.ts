/** Checks and timeline, together what watches the launches of a device. */
import { monitorOf } from "../machine/monitor.ts";
import type { Watch } from "../run/watcher.ts";
import { type CheckMode, createCheck, earlierOf, Footprint, mayWatchApart } from "./check/index.ts";
import { createTimeline, type TraceSink } from "./timeline/index.ts";

/** Undefined where nobody wants to watch. */
export function createWatch(check: CheckMode, trace: TraceSink | undefined): Watch | undefined {
  if (check === "off" && !trace) return undefined;
  return ({ program, grid, memories, before, overlaps, isThere, regionAt }) => {
    const timeline = trace && createTimeline(program, grid, trace.room());
    const earlier = before instanceof Footprint ? earlierOf(before, overlaps, isThere) : undefined;
    const checks = check === "off" ? undefined : createCheck(program, check, earlier, memories);
    return {
      monitor: monitorOf([...(checks ? [checks.monitor] : []), ...(timeline?.listeners ?? [])]),
      reports: checks?.reports,
      strict: check === "strict",
      apart: checks && !timeline && !earlier && mayWatchApart(program) ? checks.apart(regionAt) : undefined,
      left: checks?.footprint,
      end: () => {
        if (timeline) trace?.take(timeline.end());
      },
    };
  };
}
