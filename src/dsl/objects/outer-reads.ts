/**
 * What a trace reads of objects that were there before it: fields of constants around the kernel, and what the key of the arguments does not have of them, such as
 * what a getter answers. A compiled kernel is one for all launches that find the same there.
 */
import { types } from "node:util";
import type { Spans } from "../../base/diag/index.ts";
import { spansHere } from "../trace/fail-here.ts";
import { isOwnFunction, isOwnObject, Staged } from "../trace/staged.ts";
import { activeTrace, type Trace } from "../trace/trace.ts";
import { intrinsics } from "./intrinsics.ts";
import { isPlain, type Keyed, lookThrough } from "./value-key.ts";

type Fields = Record<PropertyKey, unknown>;

/** The arguments of a launch, as their key has them. */
export interface KeyedObjects {
  readonly kinds: ReadonlyMap<object, Keyed>;
  /** Of those that are in the key by value: where. Another launch with this key has an object like it in the same place. */
  readonly places: ReadonlyMap<object, number>;
}

/** Whether something is as it was; given the arguments of the launch where they may be other objects than those of the trace. */
type Check = (objects: KeyedObjects | undefined) => boolean;

/** What was read, and whether it is still so. */
export class OuterReads {
  readonly #objects: object[] = [];
  readonly #keys: PropertyKey[] = [];
  readonly #values: unknown[] = [];
  readonly #checks: Check[] = [];
  #never = false;

  get isEmpty(): boolean {
    return this.#objects.length === 0 && this.#checks.length === 0 && !this.#never;
  }

  /** How many things are looked at before each launch. */
  get size(): number {
    return this.#objects.length + this.#checks.length;
  }

  field(object: object, key: PropertyKey, value: unknown): void {
    this.#objects.push(object);
    this.#keys.push(key);
    this.#values.push(value);
  }

  check(check: Check): void {
    this.#checks.push(check);
  }

  /** What was read cannot be looked at: nobody knows whether it is still so. */
  never(): void {
    this.#never = true;
  }

  /** Whether a trace would read the same now. `objects`: left out where the arguments are those very objects. An exception of a getter is for the trace to meet. */
  holds(objects?: KeyedObjects): boolean {
    if (this.#never) return false;
    try {
      for (let i = 0; i < this.#objects.length; i++)
        if (!Object.is((this.#objects[i] as Fields)[this.#keys[i] as PropertyKey], this.#values[i])) return false;
      for (const check of this.#checks) if (!check(objects)) return false;
      return true;
    } catch {
      return false;
    }
  }
}

/** What a trace has to note of outer objects, and where. */
export interface OuterInput {
  readonly objects: KeyedObjects;
  /** The author has said what the kernel uses from outside (`cacheKey`): only what is reached through arguments is noted. */
  readonly told: boolean;
  readonly reads: OuterReads;
}

interface State {
  input: OuterInput | undefined;
  /** Made while tracing. */
  readonly made: WeakSet<object>;
  /** Reached through arguments that are in the key by their identity. */
  readonly reached: WeakSet<object>;
  /** Fields that have been read or assigned. */
  readonly touched: Map<object, Set<PropertyKey>>;
  /** Where an object was changed last. */
  readonly changed: Map<object, Spans>;
  /** Objects that were looked through, or whose list of fields was read. */
  readonly seen: { readonly through: Set<object>; readonly whole: Set<object> };
}

const outer = {
  make: (): State => ({
    input: undefined,
    made: new WeakSet(),
    reached: new WeakSet(),
    touched: new Map(),
    changed: new Map(),
    seen: { through: new Set(), whole: new Set() },
  }),
};

/** Notes what the trace reads from now on. */
export function noteReads(trace: Trace, input: OuterInput): void {
  trace.state(outer).input = input;
}

const isObject = (x: unknown): x is object => (typeof x === "object" && x !== null) || typeof x === "function";

/** Notes that an object was made while tracing: nobody can have changed it before the next launch. */
export function noteMade(trace: Trace, x: unknown): void {
  if (isObject(x)) trace.state(outer).made.add(x);
}

interface Noting {
  readonly state: State;
  readonly reads: OuterReads;
  readonly kind: Keyed | undefined;
}

/** How to note what is read of the object; undefined where it is the language's, was made here, or stands in the key with all it has. */
function noting(trace: Trace, x: unknown): Noting | undefined {
  if (!isObject(x)) return undefined;
  const state = trace.state(outer);
  const { input } = state;
  if (!input || state.made.has(x) || intrinsics.has(x) || x === console) return undefined;
  const kind = input.objects.kinds.get(x);
  if (kind === "value" || (kind === undefined && input.told && !state.reached.has(x))) return undefined;
  if (!types.isProxy(x) && (isOwnObject(x) || isOwnFunction(x) || state.made.has(Object.getPrototypeOf(x) ?? x)))
    return undefined;
  return { state, reads: input.reads, kind };
}

/** Whether the field is met for the first time: what it holds then is what it held before the trace. */
function isFirst({ touched }: State, object: object, key: PropertyKey): boolean {
  const name = typeof key === "number" ? String(key) : key;
  const keys = touched.get(object);
  if (keys?.has(name)) return false;
  if (keys) keys.add(name);
  else touched.set(object, new Set([name]));
  return true;
}

/** Notes the value of a field that is no accessor, before it is read. */
export function noteRead(trace: Trace, object: unknown, key: PropertyKey): void {
  const how = noting(trace, object);
  if (how) noteField(how, object as object, key);
}

function noteField({ state, reads, kind }: Noting, object: object, key: PropertyKey): void {
  if (!isFirst(state, object, key)) return;
  const value = (object as Fields)[key];
  if (kind !== undefined || state.reached.has(object)) if (isObject(value)) state.reached.add(value);
  if (!types.isProxy(object)) {
    const own = Object.getOwnPropertyDescriptor(object, key);
    const isKeyed = kind === "fields" && own && "value" in own;
    const isFixed = own ? own.writable === false && !own.configurable : isPlain(object) && !Object.isExtensible(object);
    if (isKeyed || isFixed) return;
  }
  // Only a trace puts values of the GPU there.
  if (value instanceof Staged) state.made.add(object);
  else reads.field(object, key, value);
}

/** Notes that a field is assigned. `depends`: a branch or a loop of the GPU may go on with what it held before. */
export function noteAssigned(trace: Trace, object: object, key: PropertyKey, depends: boolean): void {
  const how = noting(trace, object);
  if (!how) return;
  how.state.changed.set(object, spansHere());
  if (depends) noteField(how, object, key);
  else isFirst(how.state, object, key);
}

/** Notes that a list, a map or a set may be changed. */
export function noteFilled(trace: Trace, object: object): void {
  noting(trace, object)?.state.changed.set(object, spansHere());
}

/** What holds a value of the GPU in an object of the program, now that the trace is at its end, and where that was changed. `key`: of a field or an element. */
export function leftOutside(
  trace: Trace,
): { readonly object: object; readonly key: PropertyKey | undefined; readonly spans: Spans } | undefined {
  const { changed, made } = trace.state(outer);
  for (const [object, spans] of changed) {
    // What held such a value when it was first met was made while tracing, by a function that is not transformed.
    if (made.has(object)) continue;
    const key = Reflect.ownKeys(object).find((key) => Object.getOwnPropertyDescriptor(object, key)?.value instanceof Staged);
    const inCollection = (types.isMap(object) || types.isSet(object)) && [...object.values()].some((x) => x instanceof Staged);
    if (key !== undefined || inCollection) return { object, key, spans };
  }
  return undefined;
}

/** Notes what an accessor of the author's answered. It is called again before each launch, as it would be in plain JavaScript. */
export function noteAnswer(trace: Trace, object: unknown, key: PropertyKey, answer: unknown): void {
  const how = noting(trace, object);
  if (!how || answer instanceof Staged || (isObject(answer) && isOwnObject(answer))) return;
  if (!isFirst(how.state, object as object, key)) return;
  const { text, hidden } = lookThrough(answer);
  const again = (): unknown => (object as Fields)[key];
  how.reads.check(() => {
    const now = again();
    return Object.is(now, answer) || (!hidden && isObject(now) && lookThrough(now).text === text);
  });
}

/** Notes all elements of an array. */
export function noteElements(trace: Trace, array: readonly unknown[]): void {
  const how = noting(trace, array);
  if (!how) return;
  how.state.changed.set(array, spansHere());
  noteField(how, array, "length");
  for (let i = 0; i < array.length; i++) noteField(how, array, i);
}

const prototypeOf = (object: object): unknown => Object.getPrototypeOf(object);

/** The fields of an object, each with whether a loop over them meets it. */
const listOf = (object: object): readonly unknown[] =>
  Reflect.ownKeys(object).flatMap((key) => [key, Object.prototype.propertyIsEnumerable.call(object, key)]);

/** Notes which fields an object has and what they hold, or the entries of a map or a set. */
export function noteWhole(trace: Trace, x: unknown): void {
  const how = noting(trace, x);
  if (!how) return;
  const object = x as object;
  const isCollection = types.isMap(x) || types.isSet(x) || ArrayBuffer.isView(x) || types.isAnyArrayBuffer(x);
  if (isCollection && how.kind === "fields") return;
  if (isCollection || types.isProxy(x)) {
    noteThrough(trace, x);
    return;
  }
  if (!how.state.seen.whole.has(object)) {
    how.state.seen.whole.add(object);
    const [listed, prototype] = [listOf(object), prototypeOf(object)];
    if (how.kind !== "fields") {
      how.reads.check(() => {
        const now = listOf(object);
        const isSame = now.length === listed.length && now.every((x, i) => x === listed[i]);
        return isSame && prototypeOf(object) === prototype;
      });
    }
  }
  for (const key of Reflect.ownKeys(object)) {
    const field = Object.getOwnPropertyDescriptor(object, key);
    if (field && "value" in field) noteField(how, object, key);
    else noteThrough(trace, object);
  }
}

/** Notes something else that was found out about an object: whether it is still so. */
export function noteAsked(trace: Trace, object: unknown, isStill: () => boolean): void {
  noting(trace, object)?.reads.check(isStill);
}

/** Notes what a map or a set answers for one key. */
export function noteEntry(trace: Trace, collection: unknown, answer: () => unknown): void {
  if (noting(trace, collection)?.kind === "fields") return;
  const before = answer();
  if (!(before instanceof Staged)) noteAsked(trace, collection, () => Object.is(answer(), before));
}

/** Notes all that can be reached from a value: a function that is not traced is given it. */
export function noteThrough(trace: Trace, x: unknown): void {
  const how = noting(trace, x);
  if (!how || how.state.seen.through.has(x as object)) return;
  how.state.seen.through.add(x as object);
  const { text, hidden } = lookThrough(x);
  if (hidden) how.reads.never();
  else how.reads.check(() => lookThrough(x).text === text);
}

/**
 * The same for what functions that are not traced are given: also for what stands in objects that were made here, or in the key. `byAuthor`: code of the author's, which
 * may also look at the fields of functions.
 */
export function noteReached(trace: Trace, values: readonly unknown[], byAuthor: boolean): void {
  const { input, made } = trace.state(outer);
  if (!input) return;
  const seen = new Set<object>();
  const visit = (x: unknown): void => {
    if (!isObject(x) || seen.has(x) || (typeof x === "function" && !byAuthor)) return;
    seen.add(x);
    if (!types.isProxy(x) && (isOwnObject(x) || isOwnFunction(x))) return;
    if (!made.has(x) && input.objects.kinds.get(x) !== "value") {
      noteThrough(trace, x);
      return;
    }
    if (types.isMap(x) || types.isSet(x)) for (const entry of x.entries()) entry.forEach(visit);
    if (ArrayBuffer.isView(x)) return;
    for (const key of Reflect.ownKeys(x)) visit(Object.getOwnPropertyDescriptor(x, key)?.value);
  };
  values.forEach(visit);
}

/** Notes whether there is such a field. */
export function notePresence(trace: Trace, object: object, key: PropertyKey): void {
  const [own, has] = [Object.hasOwn(object, key), key in object];
  noteAsked(trace, object, () => Object.hasOwn(object, key) === own && key in object === has);
}

/**
 * Notes that code has looked which objects these are: of an argument that stands in the key by value, another launch may give another object. Whether the one it was compared
 * with came from the arguments, too, is not known.
 */
export function noteCompared(a: unknown, b: unknown): void {
  if (!isObject(a) || !isObject(b)) return;
  const trace = activeTrace();
  const { input, made } = trace?.state(outer) ?? {};
  if (!input || input.told) return;
  const { kinds } = input.objects;
  const isAuthors = (x: object): boolean => typeof x === "object" && !made?.has(x) && !intrinsics.has(x) && !isOwnObject(x);
  if (isAuthors(a) && isAuthors(b)) for (const x of [a, b]) if (kinds.get(x) === "value") noteIdentity(input, x);
}

function noteIdentity({ objects, reads }: OuterInput, x: object): void {
  const place = objects.places.get(x);
  reads.check((given) => given === undefined || given.places.get(x) === place);
}
