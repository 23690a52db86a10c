import { type MarkRecord, markedLaunch, type ProfileData, type ProfileSink } from "../inspect/profile/index.ts";
import { makeProfile, type Profile } from "../inspect/profile/written.ts";
import { prepareStream } from "../runtime/index.ts";
import { median } from "./bench.ts";
import { type KeptTensors, keepTensors } from "./kept-tensors.ts";
import { type Prepared, start } from "./launch.ts";
import type { KernelSource } from "./source.ts";
import { openTimeline } from "./timeline.ts";
import type { ProfileConfig } from "./types.ts";

/** Spans, arrows and moments that a profile keeps where nobody says otherwise. */
const usualLimit = 100_000;

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
const clearings = 8;
/** Of each kind so many launches are timed, fewer where they take longer than so many microseconds together, and one at least. */
const [mostTurns, budget] = [15, 500_000];

/** Both kinds of launch by turns: each finds in the cache what clearing leaves there, and what its tensors held. */
async function timedLaunch(
  source: KernelSource,
  prepared: Prepared,
  config: ProfileConfig,
  plain: Prepared | undefined,
): Promise<ProfileData> {
  const { backend, device, tensors } = prepared;
  const stream = prepareStream(device, config.stream, tensors);
  const timeline = openTimeline(source, prepared, stream);
  const [from, to] = [backend.createEvent(), backend.createEvent()];
  let kept: KeptTensors | undefined;
  try {
    kept = plain && keepTensors(backend, stream, tensors);
  } catch {
    // Where there is no room for what the tensors hold, nothing is compared.
  }
  /** Nanoseconds. */
  const timed = async (of: Prepared, given: ProfileConfig): Promise<number> => {
    timeline.clear(clearings);
    backend.record(from, stream);
    start(source, of, given);
    backend.record(to, stream);
    await device.sync();
    return Math.round(backend.elapsed(from, to) * 1000);
  };
  const silent = { ...config, onLog: () => {} };
  const times = { plain: [] as number[], recorded: [] as number[] };
  try {
    // What is launched first is slower, as its code has to come: that turn does not count.
    let turns = kept ? mostTurns : 0;
    for (let turn = 0; turn <= turns && kept && plain; turn++) {
      const without = await timed(plain, silent);
      kept.putBack();
      if (turn === 0) turns = Math.max(1, Math.min(turns, Math.floor((budget * 1000) / (2 * without))));
      if (turn > 0) times.plain.push(without);
      if (turn === turns) continue;
      const recorded = await timed(prepared, silent);
      kept.putBack();
      if (turn > 0) times.recorded.push(recorded);
    }
    const recorded = await timed(prepared, config);
    times.recorded.push(recorded);
    const found = timeline.read(await timeline.download(), config.limit ?? usualLimit);
    const compared = times.plain.length > 0 && {
      plain: median(times.plain),
      cost: median(times.recorded) / median(times.plain) - 1,
      turns: times.plain.length,
    };
    return { ...found, launches: { recorded, ...compared } };
  } finally {
    kept?.free();
    timeline.free();
    for (const event of [from, to]) backend.destroyEvent(event);
  }
}
