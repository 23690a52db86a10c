import { type MarkRecord, markedLaunch, type ProfileData, type ProfileSink } from "../profile/index.ts";
import { makeProfile, type Profile } from "../profile/profile.ts";
import { prepareStream } from "../runtime/index.ts";
import { keepTensors } from "./kept-tensors.ts";
import { type Prepared, start } from "./launch.ts";
import type { KernelSource } from "./source.ts";
import { openTimeline } from "./timeline.ts";
import type { ProfileConfig } from "./types.ts";

/** Spans, arrows and moments that a profile keeps where nobody says otherwise. */
export const usualLimit = 100_000;

/** Launches what was prepared, waits for it, and gives what was recorded. `plain`: the same kernel, which records nothing. Whatever the launch fails with. */
export async function profileLaunch(
  source: KernelSource,
  prepared: Prepared,
  config: ProfileConfig,
  plain: Prepared | undefined,
): Promise<Profile> {
  const data = prepared.instance.timeline
    ? timedLaunch(source, prepared, config, plain)
    : watchedLaunch(source, prepared, config);
  return makeProfile(await data);
}

/** On a device that sees all but the marks by itself. */
async function watchedLaunch(source: KernelSource, prepared: Prepared, config: ProfileConfig): Promise<ProfileData> {
  const { device, instance, grid } = prepared;
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
  start(source, prepared, config, { profile: sink, onMarks });
  await device.sync();
  if (!data) throw new Error("a launch that has ended has no profile");
  return data;
}

/** The memory of records is cleared so often before a launch that is timed: while that lasts, the launch is enqueued, so that no event waits for the host. */
const clearings = 16;

/** Of two launches both are timed, and both find in the cache what clearing leaves there. */
async function timedLaunch(
  source: KernelSource,
  prepared: Prepared,
  config: ProfileConfig,
  plain: Prepared | undefined,
): Promise<ProfileData> {
  const { backend, device, tensors } = prepared;
  const stream = prepareStream(device, config.stream, tensors);
  const timeline = openTimeline(source, prepared, stream);
  const events = Array.from({ length: 4 }, () => backend.createEvent());
  const [from, to, plainFrom, plainTo] = events;
  const kept = plain && keepTensors(backend, stream, tensors);
  const timed = (of: Prepared, given: ProfileConfig, before: typeof from, after: typeof to): void => {
    timeline.clear(clearings);
    if (before) backend.record(before, stream);
    start(source, of, given);
    if (after) backend.record(after, stream);
  };
  try {
    if (kept && plain) {
      const silent = { ...config, onLog: () => {} };
      // What is launched first is slower: its code has to come.
      for (const first of [plain, prepared]) {
        start(source, first, silent);
        kept.putBack();
      }
      timed(plain, silent, plainFrom, plainTo);
      kept.putBack();
    }
    timed(prepared, config, from, to);
    await device.sync();
    const found = timeline.read(await timeline.download(), config.limit ?? usualLimit);
    const time = (before: typeof from, after: typeof to): number =>
      before && after ? Math.round(backend.elapsed(before, after) * 1000) : 0;
    return { ...found, launches: { recorded: time(from, to), ...(kept && { plain: time(plainFrom, plainTo) }) } };
  } finally {
    kept?.free();
    timeline.free();
    for (const event of events) backend.destroyEvent(event);
  }
}
