import { fail } from "../diag/index.ts";
import { type MarkRecord, markedLaunch, type ProfileData, type ProfileSink } from "../profile/index.ts";
import { makeProfile, type Profile } from "../profile/profile.ts";
import { type Prepared, start } from "./launch.ts";
import type { KernelSource } from "./source.ts";
import type { ProfileConfig } from "./types.ts";

/** Spans, arrows and moments that a profile keeps where nobody says otherwise. */
const usualLimit = 100_000;

/** Launches what was prepared with marks, waits for it, and gives what was recorded. W7740, and whatever the launch fails with. */
export async function profileLaunch(source: KernelSource, prepared: Prepared, config: ProfileConfig): Promise<Profile> {
  const { backend, device, instance, grid } = prepared;
  const recordsItself = backend.kind === "emulator";
  if (!recordsItself && !instance.logs.some(({ kind }) => kind === "mark"))
    fail("W7740", { kernel: source.name, device: device.name }, prepared.spans);
  let data: ProfileData | undefined;
  const sink: ProfileSink = {
    latency: config.latency,
    room: () => config.limit ?? usualLimit,
    take: (profile) => {
      data = profile;
    },
  };
  const onMarks = (records: readonly MarkRecord[], lost: boolean): void => {
    const { block, cluster } = instance;
    data ??= markedLaunch(records, { kernel: source.name, device: device.name, grid, block, cluster }, lost ? 1 : 0);
  };
  start(source, prepared, config, { ...(recordsItself && { profile: sink }), onMarks });
  await device.sync();
  if (!data) throw new Error("a launch that has ended has no profile");
  return makeProfile(data);
}
