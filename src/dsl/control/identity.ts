import type { Spans } from "../../diag/index.ts";
import { fail } from "../../diag/index.ts";
import { declaredAt, spansHere } from "../fail-here.ts";
import { Unassigned } from "../numbers/unusable.ts";
import { activeTrace, type Trace } from "../trace.ts";
import { type Frame, youngerFrames } from "./frames.ts";

/**
 * Where two ways meet, a variable that holds one object on the one and another on the other gets a copy of what both may be. The copy is
 * then each of them to the author: whoever changes one and reads another would see what JavaScript does not. Every copy knows the
 * objects that it may be, and a change to one leaves a `Stale` in the others.
 */
interface Identities {
  /** The objects made by the author that an object may be; itself alone where nothing is noted. */
  readonly bases: WeakMap<object, ReadonlySet<object>>;
  /** The other objects that may be an object: one of its bases is one of theirs. */
  readonly related: WeakMap<object, Set<object>>;
  /** Copies that the author cannot get at. */
  readonly hidden: WeakSet<object>;
  /** When each object was last changed, by a counter. */
  readonly changed: WeakMap<object, number>;
  now: number;
}

const identities = {
  make: (): Identities => ({
    bases: new WeakMap(),
    related: new WeakMap(),
    hidden: new WeakSet(),
    changed: new WeakMap(),
    now: 0,
  }),
};

const basesIn = (state: Identities, x: object): ReadonlySet<object> => state.bases.get(x) ?? new Set([x]);

/** Says that a copy stands for these. `reachable`: the author can get at the copy. */
export function noteCopy(copy: object, of: readonly object[], reachable: boolean): void {
  const trace = activeTrace();
  if (!trace) return;
  const state = trace.state(identities);
  state.bases.set(copy, new Set(of.flatMap((x) => [...basesIn(state, x)])));
  if (!reachable) state.hidden.add(copy);
  const related = new Set(of.flatMap((x) => [x, ...(state.related.get(x) ?? [])]));
  state.related.set(copy, related);
  for (const other of related) {
    const theirs = state.related.get(other);
    if (theirs) theirs.add(copy);
    else state.related.set(other, new Set([copy]));
  }
}

/** The other objects that may be this one; it counts as changed. */
export function changedWith(trace: Trace, object: object): readonly object[] {
  const state = trace.state(identities);
  state.now++;
  for (const base of basesIn(state, object)) state.changed.set(base, state.now);
  return [...(state.related.get(object) ?? [])].filter((other) => !state.hidden.has(other));
}

/** What a field has become that was changed through another object which may be the same. */
export class Stale extends Unassigned {
  override refuse(): never {
    return fail("W2050", { what: this.name }, [...spansHere(), ...this.spans.map((span) => ({ ...span, note: "changed at" }))]);
  }
}

/** A variable of a loop: what it held before, and what it holds at the end of a turn. */
export interface Held {
  readonly before: unknown;
  readonly after: unknown;
  readonly what: string;
  readonly spans: Spans;
}

/** The point in time to which `refuseSharing` looks back. */
export const changesNow = (trace: Trace): number => trace.state(identities).now;

/**
 * Refuses a variable that may begin the next turn with an object that something else holds, too, where such an object changes in a turn:
 * what the turn was traced with would not be so.
 */
export function refuseSharing(trace: Trace, loop: Frame, since: number, variables: readonly Held[]): void {
  const state = trace.state(identities);
  const objects = variables.filter((v): v is Held & { before: object; after: object } => isObject(v.before) && isObject(v.after));
  const holders = (base: object): number => objects.filter((v) => basesIn(state, v.after).has(base)).length;
  const released = new Set(objects.flatMap((v) => [...basesIn(state, v.before)]));
  const changes = (x: object): boolean => [...basesIn(state, x)].some((base) => (state.changed.get(base) ?? 0) > since);
  for (const { before, after, what, spans } of objects) {
    const own = basesIn(state, before);
    for (const base of basesIn(state, after)) {
      const shared = !own.has(base) && (released.has(base) ? holders(base) > 1 : youngerFrames(trace, base).includes(loop));
      if (shared && (changes(base) || changes(before))) fail("W2051", { what }, [...spansHere(), ...declaredAt(spans)]);
    }
  }
}

const isObject = (x: unknown): x is object => typeof x === "object" && x !== null;
