/** What happened in a launch, by time: warps and their lines, waits, copies, products, barriers (docs/profile.md). */
import { type Latency, type ProfileData, readMarks, type TimedMark } from "../../../inspect/profile/index.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { Warp } from "../../machine/warp.ts";
import type { WatchedLaunch } from "../../run/watcher.ts";
import { AsyncOperations } from "./async-operations.ts";
import { BarrierTimes } from "./barriers.ts";
import { Recorder } from "./recorder.ts";
import { Tracks } from "./tracks.ts";

export interface Timeline {
  readonly listeners: readonly Listener[];
  /** A thread of the warp has read the clock. */
  clockRead(warp: Warp, value: number): void;
  /** When the launch is over, or has failed. */
  end(): ProfileData;
}

/** What threads have found when they read the clock, so that a mark that holds it is known to be of that moment. */
class Moments {
  readonly #tracks: Tracks;
  readonly #times = new Map<number, number>();
  #room: number;

  constructor(tracks: Tracks, room: number) {
    this.#tracks = tracks;
    this.#room = room;
  }

  read(warp: Warp, value: number): void {
    if (this.#room < 1) return;
    this.#room -= 1;
    this.#times.set(value, this.#tracks.of(warp).clock);
  }

  at(value: bigint): number | undefined {
    return this.#times.get(Number(value));
  }
}

/** The marks that the kernel has recorded, each with the row of its warp and the time that the warp had come to. Those of moments that there was no room for are dropped. */
function timedMarks({ marks }: WatchedLaunch, recorder: Recorder, moments: Moments): readonly TimedMark[] {
  const { blocks, lanes } = recorder;
  const records = marks?.() ?? [];
  if (records.length === 0) return [];
  const key = (block: readonly number[] | undefined, warp: number): string => `${block?.join()}/${warp}`;
  const byWarp = new Map(lanes.map((lane, i) => [key(blocks[lane.block]?.index, lane.warp), i]));
  return records.flatMap((record) => {
    const lane = byWarp.get(key(record.block, record.warp));
    const at = moments.at(record.time);
    if (at === undefined) recorder.drop();
    return lane === undefined || at === undefined ? [] : [{ record, lane, at }];
  });
}

/** Spans of the author's marks, and roles. Gives how many ends have no beginning. */
function takeMarks(launch: WatchedLaunch, recorder: Recorder, moments: Moments): number {
  const read = readMarks(timedMarks(launch, recorder, moments), {
    placeOf: ({ place }) => recorder.places.of(place),
    endOf: (lane) => recorder.lanes[lane]?.end ?? 0,
  });
  for (const span of read.spans) recorder.span(span);
  for (const [lane, role] of read.roles) recorder.play(lane, role);
  return read.unpaired;
}

/** Watches one launch; keeps at most `room` spans, arrows and moments. */
export function createTimeline(launch: WatchedLaunch, room: number, latency?: Latency): Timeline {
  const { program, grid, block, cluster, memories, resident } = launch;
  const recorder = new Recorder(room);
  const tracks = new Tracks(program, recorder, resident);
  const barriers = new BarrierTimes(tracks, recorder, { memories, program });
  const operations = new AsyncOperations(tracks, recorder, barriers, latency);
  const moments = new Moments(tracks, room);
  const own: Listener = {
    clusterBegins: (one) => tracks.beginCluster(one),
    clusterEnds: (one) => tracks.endCluster(one),
    step: (warp, mask, step) => tracks.step(warp, mask, step),
  };
  return {
    listeners: [own, barriers.listener, operations.listener],
    clockRead: (warp, value) => moments.read(warp, value),
    end: () => {
      tracks.stuck();
      tracks.endAll();
      const { now } = tracks;
      const unpaired = takeMarks(launch, recorder, moments);
      const told = { kernel: program.name, device: "emulator", grid, block, cluster, unit: "ticks", duration: now } as const;
      return { ...told, ...recorder.finish(now), dropped: recorder.dropped, unpaired };
    },
  };
}
