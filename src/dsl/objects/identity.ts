import type { Spans } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { Unassigned } from "../numbers/unusable.ts";
import { declaredAt, failHere, spansHere } from "../trace/fail-here.ts";
import { Journal } from "../trace/journal.ts";
import { isOwnFunction, isOwnObject } from "../trace/staged.ts";
import { activeTrace, type Trace } from "../trace/trace.ts";
import { noteCompared, noteWhole } from "./outer-reads.ts";

/**
 * Where two ways meet, a variable that holds one object on the one and another on the other gets a copy of what both may be. The copy is
 * then each of them to the author: whoever changes one and reads another would see what JavaScript does not. Every copy knows the
 * objects that it may be, and a change to one leaves a `Stale` in the others.
 */
interface Identities {
  /** The objects made by the author that an object may be; itself alone where nothing is noted. */
  readonly bases: WeakMap<object, ReadonlySet<object>>;
  /** For each object, the others that may be the same one: they share a base. */
  readonly related: WeakMap<object, Set<object>>;
  /** Copies that the author cannot get at. */
  readonly hidden: WeakSet<object>;
  /** Copies that stand for an object in the body of a loop: in each iteration it may be another object. */
  readonly entered: WeakSet<object>;
  /** When each field of an object was last changed, by a counter. */
  readonly changed: WeakMap<object, Map<PropertyKey, number>>;
  now: number;
  /** What takes back what was noted of objects that may be older than what is traced in vain. */
  readonly journal: Journal;
}

const identities = {
  make: (): Identities => ({
    bases: new WeakMap(),
    related: new WeakMap(),
    hidden: new WeakSet(),
    entered: new WeakSet(),
    changed: new WeakMap(),
    now: 0,
    journal: new Journal(),
  }),
  save: ({ journal }: Identities) => journal.save(),
};

/** How a copy may be met: by the author, at the start of each iteration of a loop, or never. */
export type CopyKind = "reachable" | "entered" | "hidden";

/** The objects of the author that this one may be. */
export const basesOf = (trace: Trace, x: object): ReadonlySet<object> => trace.state(identities).bases.get(x) ?? new Set([x]);

/** Says that a copy stands for these. */
export function noteCopy(copy: object, of: readonly object[], kind: CopyKind): void {
  const trace = activeTrace();
  if (!trace) return;
  for (const x of of) noteWhole(trace, x);
  const state = trace.state(identities);
  state.bases.set(copy, new Set(of.flatMap((x) => [...basesOf(trace, x)])));
  if (kind === "hidden") state.hidden.add(copy);
  if (kind === "entered") state.entered.add(copy);
  const related = new Set(of.flatMap((x) => [x, ...(state.related.get(x) ?? [])]));
  state.related.set(copy, related);
  for (const other of related) {
    const theirs = state.related.get(other);
    if (theirs) theirs.add(copy);
    else state.related.set(other, new Set([copy]));
    state.journal.note(() => state.related.get(other)?.delete(copy));
  }
}

/** The other objects that the author can get at and that may be this one. */
export function relatedTo(trace: Trace, object: object): readonly object[] {
  const state = trace.state(identities);
  return [...(state.related.get(object) ?? [])].filter((other) => !state.hidden.has(other));
}

/** Is it what a loop shows its body of an object? */
export const isEntered = (trace: Trace, object: object): boolean => trace.state(identities).entered.has(object);

/** Notes that a field of the object, and of whatever it may be, is changed. */
export function noteChange(trace: Trace, object: object, key: PropertyKey): void {
  const state = trace.state(identities);
  state.now++;
  for (const base of basesOf(trace, object)) {
    const keys = state.changed.get(base) ?? new Map<PropertyKey, number>();
    state.changed.set(base, keys);
    const before = keys.get(key);
    keys.set(key, state.now);
    state.journal.note(() => (before === undefined ? keys.delete(key) : keys.set(key, before)));
  }
}

/** A point in time for `changedSince`. */
export const changesNow = (trace: Trace): number => trace.state(identities).now;

/** The fields of what the object may be that have changed since. */
export function changedSince(trace: Trace, object: object, since: number): ReadonlySet<PropertyKey> {
  const { changed } = trace.state(identities);
  const keys = [...basesOf(trace, object)].flatMap((base) => [...(changed.get(base) ?? [])]);
  return new Set(keys.filter(([, when]) => when > since).map(([key]) => key));
}

/** The value of a field that was changed through another object, which may be the same one. */
export class Stale extends Unassigned {
  /** The object has the field, whatever it holds; else the other one alone may have got it. */
  readonly present: boolean;
  constructor(name: string, spans: Spans, present: boolean) {
    super(name, spans);
    this.present = present;
  }
  /** The same where not every way to here has given the object the field. */
  unsure(): Stale {
    return new Stale(this.name, this.spans, false);
  }
  override refuse(): never {
    return fail("W2050", { what: this.name }, [...spansHere(), ...this.spans.map((span) => ({ ...span, note: "changed at" }))]);
  }
}

/** Is it what stands in a field that the object may not have? */
export const isUnsureField = (value: unknown): value is Unassigned =>
  value instanceof Unassigned && !(value instanceof Stale && value.present);

const isAuthors = (x: unknown): x is object =>
  (typeof x === "object" || typeof x === "function") && x !== null && !isOwnObject(x) && !isOwnFunction(x);

/** Refuses to compare two objects where a value of the GPU decides whether they are the same one. */
export function refuseUnsure(a: unknown, b: unknown): void {
  noteCompared(a, b);
  const trace = activeTrace();
  if (!trace || a === b || !isAuthors(a) || !isAuthors(b)) return;
  const state = trace.state(identities);
  const own = basesOf(trace, a);
  if (state.entered.has(a) || state.entered.has(b) || [...basesOf(trace, b)].some((base) => own.has(base))) failHere("W2068", {});
}

/** The same for one object among others. */
export function refuseUnsureAmong(x: unknown, others: Iterable<unknown>): void {
  if (!isAuthors(x)) return;
  for (const other of others) refuseUnsure(x, other);
}

/** The error of a variable or field that may share its object with another. */
export function failShared(what: string, spans: Spans): never {
  return fail("W2051", { what }, [...spansHere(), ...declaredAt(spans)]);
}
