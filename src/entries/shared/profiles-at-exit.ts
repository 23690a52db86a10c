/** `WARPSMITH_PROFILE`: the file that gets what happened, when the process ends. */

import { appendFileSync, writeFileSync } from "node:fs";
import type { ProfileData, ProfileSink } from "../../inspect/profile/index.ts";
import { profileFileText } from "../../inspect/profile/written.ts";
import { fail } from "./errors.ts";

/** Spans, arrows and moments of all launches together. */
const mostEvents = 100_000;

/** Says now, and not only after the run, that a file cannot be written. W7028. */
export function checkWritable(variable: string, file: string): void {
  try {
    appendFileSync(file, "");
  } catch {
    fail("W7028", { variable, file });
  }
}

const sinks = new Map<string, ProfileSink>();

/** Collects the profiles of launches on all devices of the process, and writes them when it ends. W7028. */
export function profilesAtExit(file: string): ProfileSink {
  const known = sinks.get(file);
  if (known) return known;
  checkWritable("WARPSMITH_PROFILE", file);
  const launches: ProfileData[] = [];
  let room = mostEvents;
  // Before `warpsmith run` looks whether it is there.
  process.prependListener("exit", () => writeFileSync(file, profileFileText(file, launches)));
  const sink: ProfileSink = {
    room: () => Math.max(0, room),
    take: (launch) => {
      launches.push(launch);
      room -= launch.spans.length + launch.arrows.length + launch.instants.length + launch.counts.length;
    },
  };
  sinks.set(file, sink);
  return sink;
}
