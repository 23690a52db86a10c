import { channelsOf, type Graph, type Op, type Region, type Value } from "../../ir/index.ts";
import type { Renaming } from "./rewrite.ts";

/** A value that control flow brings together: it is one of `from` each time. */
interface Meeting {
  readonly value: Value;
  readonly from: readonly Value[];
  /** The region around the op that it belongs to: what stands for it has to be known there. */
  readonly around: Region;
}

interface Survey {
  readonly meetings: Meeting[];
  /** The region where a value is made. */
  readonly homes: Map<number, Region>;
  /** The region around a region. */
  readonly outer: Map<Region, Region>;
}

function surveyOp(s: Survey, around: Region, op: Op): void {
  channelsOf(op).forEach(({ senders, receivers }) => {
    receivers.forEach(({ values }) => {
      values.forEach((value, i) => {
        s.meetings.push({ value, from: senders.flatMap((sender) => sender.values[i] ?? []), around });
      });
    });
  });
}

function surveyRegion(s: Survey, region: Region): void {
  const live = ({ id }: Value): void => void s.homes.set(id, region);
  region.params.forEach(live);
  region.ops.forEach((op) => {
    op.results.forEach(live);
    if (op.regions.length === 0) return;
    surveyOp(s, region, op);
    op.regions.forEach((inner) => {
      s.outer.set(inner, region);
      surveyRegion(s, inner);
    });
  });
}

/** Is a value known throughout that region? */
function isKnownIn(s: Survey, value: Value, region: Region): boolean {
  const home = s.homes.get(value.id);
  for (let at: Region | undefined = region; at; at = s.outer.get(at)) if (at === home) return true;
  return home === undefined; // a parameter of the kernel
}

/** What a meeting is, as far as its sources have been seen: nothing yet, one value, or itself. */
function outcome(s: Survey, m: Meeting, known: ReadonlyMap<number, Value>, open: ReadonlySet<number>): Value | undefined {
  let one: Value | undefined;
  for (const from of m.from) {
    const value = known.get(from.id) ?? (open.has(from.id) ? undefined : from);
    if (!value || value === one) continue;
    if (one) return m.value;
    one = value;
  }
  return one && !isKnownIn(s, one, m.around) ? m.value : one;
}

/**
 * The values that control flow brings together and that are always one and the same other value: all are taken to be until a source
 * says otherwise, so that a circle of variables which pass a value to each other is that value.
 */
export function sameEverywhere(graph: Graph): Renaming {
  const s: Survey = { meetings: [], homes: new Map(), outer: new Map() };
  surveyRegion(s, graph.body);
  const open = new Set(s.meetings.map((m) => m.value.id));
  const known = new Map<number, Value>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const m of s.meetings) {
      const before = known.get(m.value.id);
      if (before === m.value) continue;
      const now = outcome(s, m, known, open);
      if (now === before) continue;
      known.set(m.value.id, before ? m.value : (now ?? m.value));
      changed = true;
    }
  }
  return new Map([...known].filter(([id, value]) => id !== value.id));
}
