/** Who is told of what happens in a launch, made of rules that each want to know some of it. */
import type { Events } from "./events.ts";
import type { Cluster, Warp, Warpgroup } from "./warp.ts";

export { type Executed, type GroupKind, instructionsOf } from "./events.ts";

export type Monitor = Events<Warp, Cluster, Warpgroup>;

/** Some of the events: what one rule wants to know. */
export type Rule = Partial<Monitor>;

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
  gridDependency: true,
  fence: true,
  met: true,
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

type Listener = (...args: never[]) => void;

function joined(listeners: readonly Listener[]): Listener {
  const [first, second, third] = listeners;
  if (!first) return () => {};
  if (!second) return first;
  if (!third) {
    return (...args) => {
      first(...args);
      second(...args);
    };
  }
  return (...args) => {
    for (const listener of listeners) listener(...args);
  };
}

/** One monitor of several rules: each event goes to those that want it, in their order. */
export function monitorOf(rules: readonly Rule[]): Monitor {
  const names = Object.keys(events) as (keyof Monitor)[];
  const entries = names.map((name) => {
    const listeners = rules.flatMap((rule) => {
      const listener = rule[name] as Listener | undefined;
      return listener ? [listener.bind(rule) as Listener] : [];
    });
    return [name, joined(listeners)] as const;
  });
  return Object.fromEntries(entries) as unknown as Monitor;
}
