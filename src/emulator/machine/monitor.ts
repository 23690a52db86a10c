/** A monitor hears every event of a launch. It is made of listeners, each of which wants some of the events. */
import type { Events } from "./events.ts";
import type { LaneAccesses } from "./lane-accesses.ts";
import type { Cluster, Warp, Warpgroup } from "./warp.ts";

export { type Executed, type GroupKind, instructionsOf } from "./events.ts";

export type Monitor = Events<Warp, Cluster, Warpgroup>;

/** Some of the events: what one listener wants to know. They are called as functions, without the listener. */
export type Listener = {
  readonly [Name in keyof Monitor]?: (this: void, ...args: Parameters<Monitor[Name]>) => ReturnType<Monitor[Name]>;
};

const events: Readonly<Record<keyof Monitor, true>> = {
  clusterBegins: true,
  clusterEnds: true,
  launchEnds: true,
  exits: true,
  step: true,
  parted: true,
  read: true,
  write: true,
  atomic: true,
  reads: true,
  writes: true,
  atomics: true,
  isDefined: true,
  gridDependency: true,
  fence: true,
  met: true,
  outsideMask: true,
  shuffles: true,
  barrierArrives: true,
  barrierLeaves: true,
  clusterArrives: true,
  clusterLeaves: true,
  mbarrierInits: true,
  mbarrierInvalidates: true,
  mbarrierExpects: true,
  mbarrierArrives: true,
  copiesArrive: true,
  mbarrierCompletes: true,
  mbarrierWaits: true,
  commits: true,
  waits: true,
  transferIssues: true,
  transferLands: true,
  mapUsed: true,
  wgmmaFence: true,
  wgmmaIssues: true,
  wgmmaLands: true,
  wgmmaCommits: true,
  wgmmaWaits: true,
};

type Handler = (...args: never[]) => void;
/** As many arguments as an event has. */
type Any = (a?: unknown, b?: unknown, c?: unknown, d?: unknown, e?: unknown, f?: unknown, g?: unknown) => void;

/** Calls all of them, in their order; four at a time, as a list would be gone through for every event. */
function joined(listeners: readonly Any[]): Any {
  const [first, second, third, fourth, ...rest] = listeners;
  if (!first) return () => {};
  if (!second) return first;
  if (!third) {
    return (a, b, c, d, e, f, g) => {
      first(a, b, c, d, e, f, g);
      second(a, b, c, d, e, f, g);
    };
  }
  if (!fourth) {
    return (a, b, c, d, e, f, g) => {
      first(a, b, c, d, e, f, g);
      second(a, b, c, d, e, f, g);
      third(a, b, c, d, e, f, g);
    };
  }
  const four: Any = (a, b, c, d, e, f, g) => {
    first(a, b, c, d, e, f, g);
    second(a, b, c, d, e, f, g);
    third(a, b, c, d, e, f, g);
    fourth(a, b, c, d, e, f, g);
  };
  return rest.length === 0 ? four : joined([four, ...rest]);
}

const laneByLane = { reads: "read", writes: "write", atomics: "atomic" } as const;

/** A handler that calls a listener lane by lane, for listeners that want it so. */
function eachLane(name: keyof typeof laneByLane, listener: Listener): Handler | undefined {
  if (!listener[laneByLane[name]]) return undefined;
  return (warp: Warp, accesses: LaneAccesses, changes = 0) => {
    const { region, bytes } = accesses;
    accesses.each((lane, offset, at) => {
      if (name === "writes") listener.write?.(warp, lane, region, offset, bytes, at, ((changes >>> lane) & 1) === 1);
      else if (name === "reads") listener.read?.(warp, lane, region, offset, bytes, at);
      else listener.atomic?.(warp, lane, region, offset, bytes, at);
    });
  };
}

const isOfLanes = (name: string): name is keyof typeof laneByLane => name in laneByLane;

/** One monitor of several listeners: each event goes to those that want it, in their order. */
export function monitorOf(listeners: readonly Listener[]): Monitor {
  const names = Object.keys(events) as (keyof Monitor)[];
  const entries = names.map((name) => {
    const handlers = listeners.flatMap((listener) => {
      const handler = (listener[name] as Handler | undefined) ?? (isOfLanes(name) ? eachLane(name, listener) : undefined);
      return handler ? [handler as Any] : [];
    });
    return [name, joined(handlers)] as const;
  });
  const asked = listeners.flatMap((listener) => listener.isDefined ?? []);
  const all: Monitor["isDefined"] = (w, reads) => asked.every((ask) => ask(w, reads));
  const isDefined = asked.length === 1 ? (asked[0] ?? all) : all;
  return { ...(Object.fromEntries(entries) as Record<keyof Monitor, Any>), isDefined };
}
