/** What happened in a launch, by time: warps and their lines, waits, copies, products, barriers (docs/emulator.md). */
import type { Dim3 } from "../../../types.ts";
import type { Listener } from "../../machine/monitor.ts";
import type { Block, Cluster } from "../../machine/warp.ts";
import type { Program } from "../../program/program.ts";
import { AsyncOperations } from "./async-operations.ts";
import { BarrierTimes } from "./barriers.ts";
import { EventList, type LaunchTrace } from "./events.ts";
import { Tracks } from "./tracks.ts";

export type { LaunchTrace, TraceEvent, TraceSink } from "./events.ts";
export { joinTraces, type TraceFile } from "./join-traces.ts";

export interface Timeline {
  readonly listeners: readonly Listener[];
  /** When the launch is over, or has failed. */
  end(): LaunchTrace;
}

const rankOf = (address: number): number => address >>> 24;

/** Watches one launch; keeps at most `room` events. */
export function createTimeline(program: Program, grid: Dim3, room: number): Timeline {
  const events = new EventList(room);
  const tracks = new Tracks(program, events);
  const pidOf = ({ index: [x, y, z] }: Block): number => 1 + x + grid[0] * (y + grid[1] * z);
  const barriers = new BarrierTimes(tracks, events, ({ blocks }: Cluster, address) => {
    const block = blocks[rankOf(address)];
    return block ? pidOf(block) : 0;
  });
  const operations = new AsyncOperations(tracks, events, barriers);
  const own: Listener = {
    clusterBegins: ({ blocks }) => {
      for (const block of blocks) tracks.begin(block, pidOf(block), program.name);
    },
    clusterEnds: ({ blocks }) => {
      for (const block of blocks) tracks.end(block);
    },
    step: (warp, mask, step) => tracks.step(warp, mask, step),
  };
  return {
    listeners: [own, barriers.listener, operations.listener],
    end: () => {
      showStuck(tracks, events);
      return { kernel: program.name, events: events.finish(tracks.now), ticks: tracks.now, dropped: events.dropped };
    },
  };
}

/** Warps that have not ended: the launch has failed. */
function showStuck(tracks: Tracks, events: EventList): void {
  for (const { pid, tid, clock, refused } of tracks.all) {
    if (refused) events.slice(pid, tid, `${refused.what} (in vain)`, clock, Math.max(1, tracks.now - clock));
  }
}
