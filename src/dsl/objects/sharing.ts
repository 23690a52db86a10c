import type { Spans } from "../../base/diag/index.ts";
import type { Trace } from "../trace/trace.ts";
import type { FieldRef } from "./fields.ts";
import { type Frame, youngerFrames } from "./frames.ts";
import type { Heap } from "./heap.ts";
import { basesOf, changedSince, failShared, isEntered, relatedTo } from "./identity.ts";
import { partsOf } from "./parts.ts";

/** A variable or field that a loop carries: what it held before the loop, and what it holds at the end of an iteration. */
export interface Held {
  readonly before: unknown;
  readonly after: unknown;
  readonly what: string;
  readonly spans: Spans;
}

/** What holds an object: a variable, a field, or a field of an object in one. */
interface Node {
  /** What it may be at the start of the first iteration, and at the end of one. */
  readonly own: ReadonlySet<object>;
  readonly after: ReadonlySet<object>;
  /** The fields that an iteration changes in what stands here at its start. */
  readonly changed: ReadonlySet<PropertyKey>;
  readonly held: Held;
}

function nodesOf(trace: Trace, since: number, held: Held, before: Heap): readonly Node[] {
  const nodes: Node[] = [];
  const visit = (a: unknown, b: unknown, depth: number): void => {
    const [x, y] = [partsOf(a, before), partsOf(b)];
    if (!x?.keys || !y?.keys || depth > 32) return;
    const [start, end] = [a as object, b as object];
    const changed = changedSince(trace, start, since);
    nodes.push({ own: basesOf(trace, start), after: basesOf(trace, end), changed, held });
    // A field that only one of them has is none that the loop carries; those that both have are looked at nevertheless.
    const ends = new Map(y.keys.map((key, i) => [key, y.leaves[i]]));
    x.keys.forEach((key, i) => {
      if (ends.has(key)) visit(x.leaves[i], ends.get(key), depth + 1);
    });
  };
  visit(held.before, held.after, 0);
  return nodes;
}

/** What iterations of a loop do with the objects that it exchanges. */
export interface Exchanged {
  /** The fields of older objects that iterations may change although the one that was traced does not. */
  readonly changed: readonly FieldRef[];
  /** The objects that iterations may leave where the one that was traced leaves this. */
  readonly later: (x: object) => ReadonlySet<object>;
}

/**
 * At the end of an iteration: refuses what begins the next one with an object that is also found elsewhere, where such an object changes in
 * an iteration: what the iteration was traced with would not be so. `before`: the fields as they were before the loop.
 */
export function exchangedObjects(trace: Trace, loop: Frame, since: number, held: readonly Held[], before: Heap): Exchanged {
  const nodes = held.flatMap((each) => nodesOf(trace, since, each, before));
  const isOlder = (x: object): boolean => youngerFrames(trace, x).includes(loop);
  const released = new Set(nodes.flatMap(({ own }) => [...own]));
  const holders = (base: object): number => nodes.filter(({ after }) => after.has(base)).length;
  for (const { own, after, changed, held } of nodes) {
    for (const base of after) {
      if (own.has(base)) continue;
      const shared = holders(base) > 1 || (!released.has(base) && isOlder(base));
      if (shared && (changed.size > 0 || changedSince(trace, base, since).size > 0)) failShared(held.what, held.spans);
    }
  }
  return {
    changed: nodes.flatMap((node) => staleThrough(trace, node, nodes, isOlder)),
    later: (x) => handedOn(basesOf(trace, x), nodes),
  };
}

/** The objects, and what iterations put in the place of them. */
function handedOn(objects: Iterable<object>, nodes: readonly Node[]): ReadonlySet<object> {
  const all = new Set(objects);
  // A set also goes over what is added meanwhile.
  for (const base of all) for (const node of nodes) if (node.own.has(base)) for (const next of node.after) all.add(next);
  return all;
}

/** Older objects that the node may hold in a later iteration, with the fields that are changed through it. */
function staleThrough(
  trace: Trace,
  { own, after, changed }: Node,
  nodes: readonly Node[],
  isOlder: (x: object) => boolean,
): readonly FieldRef[] {
  if (changed.size === 0) return [];
  const may = handedOn([...own, ...after], nodes);
  const others = [...may].filter((base) => !own.has(base)).flatMap((base) => [base, ...relatedTo(trace, base)]);
  const older = others.filter((x) => isOlder(x) && !isEntered(trace, x));
  return older.flatMap((object) => [...changed].map((key) => ({ object, key })));
}
