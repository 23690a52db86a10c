/** Checks and timeline, together what watches the launches of a device. */
import type { ProfileSink } from "../../inspect/profile/index.ts";
import { monitorOf } from "../machine/monitor.ts";
import type { Program } from "../program/program.ts";
import { hasTrait } from "../program/traits.ts";
import type { Watch, WatchedLaunch } from "../run/watcher.ts";
import { type CheckMode, createCheck, earlierOf, Footprint } from "./check/index.ts";
import { createTimeline, type Timeline } from "./timeline/index.ts";

/** A timeline for all who want one. */
function timelineFor(sinks: readonly ProfileSink[], launch: WatchedLaunch): Timeline | undefined {
  if (sinks.length === 0) return undefined;
  const room = sinks.reduce((most, sink) => Math.max(most, sink.room()), 0);
  return createTimeline(launch, room, launch.profile?.latency);
}

/** Whether a launch of a program warns. */
export type Warns = (program: Program) => boolean;

/** Watches launches: with these checks, and for `profiles`, which takes the profiles of all of them, or for whom a launch names. */
export function createWatch(asked: CheckMode, profiles: ProfileSink | undefined, warns: Warns = () => false): Watch {
  return (launch) => {
    const check = asked === "normal" && warns(launch.program) ? "warn" : asked;
    const { program, memories, before, overlaps, isThere, regionAt } = launch;
    const sinks = [profiles, launch.profile].flatMap((sink) => sink ?? []);
    if (check === "off" && sinks.length === 0) return undefined;
    const timeline = timelineFor(sinks, launch);
    const earlier = before instanceof Footprint ? earlierOf(before, overlaps, isThere) : undefined;
    const checks = check === "off" ? undefined : createCheck(program, check, earlier, memories);
    return {
      monitor: monitorOf([...(checks ? [checks.monitor] : []), ...(timeline?.listeners ?? [])]),
      reports: checks?.reports,
      strict: check === "strict",
      apart: checks && !timeline && !earlier && !hasTrait(program, "communicates") ? checks.apart(regionAt) : undefined,
      left: checks?.footprint,
      ...(timeline && { clockRead: timeline.clockRead }),
      end: () => {
        const profile = timeline?.end();
        if (profile) for (const sink of sinks) sink.take(profile);
      },
    };
  };
}
