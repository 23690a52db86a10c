import { types } from "node:util";
import { uncheckedOf } from "../../base/diag/index.ts";
import { fieldsOf } from "../../base/fields.ts";
import { callMath } from "../math/math-functions.ts";
import { isOnGpu, usable } from "../numbers/unusable.ts";
import { readPresence, refuseNewLength, refuseUnsureFields, touchElements, writeField } from "../objects/fields.ts";
import { bornHere, isOlderThanBranch } from "../objects/frames.ts";
import { refuseUnsure, refuseUnsureAmong } from "../objects/identity.ts";
import { isNative } from "../objects/intrinsics.ts";
import { noteAsked, noteElements, noteEntry, noteFilled, noteMade, noteReached, noteWhole } from "../objects/outer-reads.ts";
import { readWhole } from "../objects/whole.ts";
import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import type { CallSite } from "./call-site.ts";
import { isTraced } from "./functions.ts";
import { emitLog } from "./log.ts";

type Callable = (...args: unknown[]) => unknown;
type Collection = Map<unknown, unknown> | Set<unknown>;
const [mapHas, setHas] = [Map.prototype.has, Set.prototype.has];
const array = Array.prototype;
const functionsOf = (owner: object, keys: string): ReadonlySet<unknown> =>
  new Set(keys.split(" ").flatMap((key) => fieldsOf(owner)[key] ?? []));

/** Methods that only move values, or pass them to a function. */
const movers = functionsOf(
  array,
  "map forEach reduce reduceRight slice concat entries keys values at flat flatMap toReversed toSpliced with",
);
/** Methods that make a new array. */
const makers = functionsOf(
  array,
  "map slice concat flat flatMap toReversed toSpliced with filter toSorted splice entries keys values",
);
/** Methods of typed arrays that change them. */
const typedChangers = functionsOf(Object.getPrototypeOf(Uint8Array.prototype) as object, "set fill reverse copyWithin sort");
/** The same, in place. */
const changers = functionsOf(array, "fill reverse copyWithin");
/** Methods that make an array longer or shorter. */
const resizers = functionsOf(array, "push pop shift unshift splice");
const askerNames = "filter find findIndex findLast findLastIndex some every sort toSorted";
/** Methods that decide by what a function says of each element. */
const askers = functionsOf(array, askerNames);
const iterators = Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object;
/** The same for what is no array, and other functions that decide by what their callback returns. */
const otherAskers = new Set<unknown>([
  ...functionsOf(Object.getPrototypeOf(Uint8Array.prototype) as object, askerNames),
  ...functionsOf(iterators, askerNames),
  ...functionsOf(Object, "groupBy"),
  ...functionsOf(Map, "groupBy"),
  JSON.stringify,
]);
/** Methods that decide by the elements themselves. */
const comparers = functionsOf(array, "includes indexOf lastIndexOf join toString sort toSorted");

/** Methods that take the elements of elements, or make a text of them. */
const looksInside = functionsOf(array, "flat join toString sort toSorted");

/** Of an object's fields. */
const ofFields = new Set<unknown>([
  Object.entries,
  Object.keys,
  Object.values,
  Object.assign,
  Object.freeze,
  Object.fromEntries,
  Object.hasOwn,
  Object.isFrozen,
]);
const listsFields = new Set<unknown>([Object.keys, Object.values, Object.entries]);
const statics = new Set<unknown>([Array.isArray, Array.of, Array.from, Array, ...ofFields]);
const collections = new Set<unknown>([
  Map.prototype.get,
  Map.prototype.set,
  Map.prototype.has,
  Map.prototype.delete,
  Map.prototype.entries,
  Map.prototype.keys,
  Map.prototype.values,
  Map.prototype.forEach,
  Set.prototype.has,
  Set.prototype.values,
]);
const changesCollection = new Set<unknown>([
  Map.prototype.set,
  Map.prototype.delete,
  Map.prototype.clear,
  Set.prototype.add,
  Set.prototype.delete,
  Set.prototype.clear,
]);
const iteratorMakers = new Set<unknown>(
  [Map.prototype, Set.prototype].flatMap((owner) => [owner.entries, owner.keys, owner.values]),
);
const mathNames = new Set<unknown>(Object.getOwnPropertyNames(Math).map((name) => fieldsOf(Math)[name]));
const logNames = ["log", "info", "debug", "warn", "error"] as const;
/** Looked up at each call: test runners and programs replace Node's console, or its methods. */
const isLog = ({ f, receiver }: CallSite): boolean => receiver === console && logNames.some((name) => f === console[name]);
const fromHost = new Set<unknown>([Math.random, Date, Date.now, performance.now]);
const toStatic = new Map<unknown, string>([
  [Number, "convert on the GPU: `f32(x)` or `i32(x)`"],
  [Boolean, "write `x !== 0`, or `bool(x)`"],
  [BigInt, "convert on the GPU: `i64(x)`"],
  [String, "print values with console.log(…)"],
  [Number.isNaN, "write `x !== x`"],
  [Number.isFinite, "write `x - x === 0`"],
  [Reflect.get(globalThis, "isNaN"), "write `x !== x`"],
  [Reflect.get(globalThis, "isFinite"), "write `x - x === 0`"],
  [Number.isInteger, "write `Math.trunc(x) === x`"],
  [Object.is, "write `===`"],
]);

/** Wraps a callback whose result JavaScript decides by: a staged result is refused. */
function asked(f: unknown, text: string): unknown {
  if (typeof f !== "function") return f;
  return function (this: unknown, ...args: unknown[]): unknown {
    const answer: unknown = Reflect.apply(f as Callable, this, args);
    if (isOnGpu(answer)) failHere("W2035", { text, instead: "write a loop with `if`, and keep the result in a variable" });
    return answer;
  };
}

/** Calls what stands in a kernel: callFunction of call.ts. */
type Call = (trace: Trace, site: CallSite) => unknown;

/** Functions of JavaScript's that take as many arguments as there are. */
const variadic = new Set<unknown>([...mathNames, String.fromCharCode, String.fromCodePoint, Array.of]);

/** How many arguments a function looks at. */
function argumentsOf(f: Callable, given: number): number {
  if (variadic.has(f)) return given;
  if (!isNative(f) && /\.\.\.|\barguments\b/.test(Function.prototype.toString.call(f))) return given;
  return Math.min(given, Math.max(f.length, 1));
}

/** A callback that the tracer does not see into, as the call of it in the kernel that it is: what it cannot compute with is refused. W2034, W2035. */
function handed(trace: Trace, f: unknown, call: Call): unknown {
  if (typeof f !== "function" || isTraced(f)) return f;
  return function (this: unknown, ...args: unknown[]): unknown {
    const taken = args.slice(0, argumentsOf(f as Callable, args.length));
    return call(trace, { f, receiver: this, args: taken, text: f.name || "the callback", construct: false });
  };
}

/** Methods that call what they are given. */
const callers = functionsOf(
  array,
  "map forEach reduce reduceRight flatMap filter find findIndex findLast findLastIndex some every sort toSorted",
);

/** Refuses one of several values where JavaScript would look at the object that stands for them. W2022. */
function refuseSeveral({ f, receiver, args }: CallSite): void {
  if (callers.has(f)) usable(args[0]);
  if (f === array.concat) args.forEach(usable);
  if (f === array.flat && Array.isArray(receiver)) receiver.forEach(usable);
}

/** Wraps a callback whose result JavaScript takes apart. W2022. */
function takenApart(f: unknown): unknown {
  if (typeof f !== "function") return f;
  return function (this: unknown, ...args: unknown[]): unknown {
    return usable(Reflect.apply(f as Callable, this, args));
  };
}

const indexed = functionsOf(array, "at slice copyWithin flat");

/** The arguments that are indices. */
function indexesOf(f: unknown, args: readonly unknown[]): readonly unknown[] {
  if (indexed.has(f)) return args;
  if (f === array.fill) return args.slice(1);
  if (f === array.with) return args.slice(0, 1);
  return f === array.splice || f === array.toSpliced ? args.slice(0, 2) : [];
}

function arrayMethod(trace: Trace, site: CallSite, call: Call): { result: unknown } | undefined {
  const { f, receiver, args, text } = site;
  if (!Array.isArray(receiver)) return undefined;
  const known = movers.has(f) || changers.has(f) || resizers.has(f) || askers.has(f) || comparers.has(f);
  if (!known) return undefined;
  const method = f as Callable;
  for (const index of indexesOf(f, args)) trace.hostKeys?.push(index);
  if (resizers.has(f)) trace.hostKeys?.push(receiver.length);
  if (resizers.has(f)) refuseNewLength(trace, receiver);
  touchElements(receiver, changers.has(f) || f === array.sort);
  for (const arg of args) if (Array.isArray(arg)) noteElements(trace, arg);
  if (looksInside.has(f)) noteReached(trace, receiver, true);
  const bySelf = comparers.has(f) && !(askers.has(f) && args.length > 0);
  if (bySelf && (receiver.some(isOnGpu) || args.some(isOnGpu))) refuseDeciding(text);
  if (comparers.has(f)) refuseUnsureAmong(args[0], receiver);
  if (indexesOf(f, args).some(isOnGpu)) failHere("W2039", { what: "an array" });
  for (const arg of args) if (resizers.has(arg) || changers.has(arg) || changesCollection.has(arg)) failHere("W2069", { text });
  refuseSeveral(site);
  const [first, ...rest] = args;
  const callback = callers.has(f) ? handed(trace, first, call) : first;
  const given = askers.has(f)
    ? [asked(callback, text), ...rest]
    : callers.has(f)
      ? [f === array.flatMap ? takenApart(callback) : callback, ...rest]
      : args;
  const result: unknown = Reflect.apply(method, receiver, given);
  // What a method gives back is one of the elements, unless it is a list that it has made.
  return { result: makers.has(f) ? bornHere(result) : result };
}

const refuseDeciding = (text: string): never =>
  failHere("W2035", { text, instead: "compare the elements one by one with `===`, in a loop" });

/** The arguments of a new collection, checked: it compares their keys when it is made, as `set`, `add`, `has` and `get` do later. */
function collected(f: unknown, [first, ...rest]: readonly unknown[]): unknown[] {
  if (first === undefined || first === null) return [first, ...rest];
  const all = [...(first as Iterable<unknown>)];
  const key = (entry: unknown): unknown => (Array.isArray(entry) && f !== Set ? entry[0] : entry);
  const keys = all.map(key);
  if (keys.some(isOnGpu)) failHere("W2041", { what: keyOf(f) });
  keys.forEach((each, i) => {
    refuseUnsureAmong(each, keys.slice(0, i));
  });
  return [all, ...rest];
}

const keyOf = (owner: unknown): string =>
  owner === Set ? "an element of a Set" : owner === Map ? "a key of a Map" : "the name of a field";

/** Notes what the trace learns from a collection. The argument of the call is not noted. */
function noteAnswerOf(trace: Trace, f: unknown, collection: Collection, key: unknown): void {
  const has = (): boolean => (types.isMap(collection) ? mapHas.call(collection, key) : setHas.call(collection, key));
  if (f === Map.prototype.get) noteEntry(trace, collection, () => Map.prototype.get.call(collection, key));
  else if (f === mapHas || f === setHas || f === Map.prototype.delete || f === Set.prototype.delete)
    noteEntry(trace, collection, has);
  else if (!changesCollection.has(f)) noteWhole(trace, collection);
}

function noteFrozen(trace: Trace, x: unknown): void {
  const frozen = Object.isFrozen(x);
  noteAsked(trace, x, () => Object.isFrozen(x) === frozen);
}

function staticFunction(trace: Trace, site: CallSite, call: Call): { result: unknown } | undefined {
  const { f, receiver, args, text, construct } = site;
  if ((collections.has(f) || changesCollection.has(f)) && (receiver instanceof Map || receiver instanceof Set)) {
    if (isOnGpu(args[0])) failHere("W2041", { what: keyOf(receiver instanceof Map ? Map : Set) });
    refuseUnsureAmong(args[0], receiver.keys());
    if (changesCollection.has(f)) refuseNewLength(trace, receiver);
    if (changesCollection.has(f)) noteFilled(trace, receiver);
    noteAnswerOf(trace, f, receiver, args[0]);
    const result: unknown = Reflect.apply(f as Callable, receiver, [...args]);
    return { result: iteratorMakers.has(f) ? bornHere(result) : result };
  }
  if (ArrayBuffer.isView(receiver) && typedChangers.has(f) && isOlderThanBranch(trace, receiver))
    failHere("W2049", { what: "this typed array" });
  if (construct && (f === Map || f === Set)) noteReached(trace, args, true);
  if (construct && (f === Map || f === Set)) return { result: bornHere(Reflect.construct(f as Callable, collected(f, args))) };
  if (!statics.has(f)) return undefined;
  if (ofFields.has(f) && args.some(isOnGpu))
    failHere("W2035", { text, instead: "leave the call out: a number has no fields, and is not the name of one" });
  if (f === Array && args.length === 1 && isOnGpu(args[0])) failHere("W2041", { what: "the length of an array" });
  const [first, ...rest] = args;
  if (f === Array.isArray) usable(first);
  if (f === Array.from) noteWhole(trace, first);
  if (f === Object.fromEntries) noteReached(trace, args, true);
  if (f === Object.isFrozen) noteFrozen(trace, first);
  if (ofFields.has(f) && f !== Object.hasOwn) for (const arg of args) readWhole(trace, arg);
  if (listsFields.has(f)) refuseUnsureFields(first);
  if (f === Object.assign) rest.forEach(refuseUnsureFields);
  if (f === Object.hasOwn) usable(readPresence(Object(first) as object, rest[0] as PropertyKey));
  if (f === Object.freeze && typeof first === "object" && first !== null && isOlderThanBranch(trace, first))
    failHere("W2069", { text });
  if (f === Object.assign && typeof first === "object" && first !== null) {
    for (const source of rest) for (const [key, value] of Object.entries(source ?? {})) writeField(trace, first, key, value);
    return { result: first };
  }
  if (Array.isArray(first) && f !== Array.isArray) touchElements(first, false);
  const given =
    f === Object.fromEntries
      ? collected(f, args)
      : f === Array.from
        ? [first, ...rest.map((arg, i) => (i === 0 ? handed(trace, uncheckedOf(arg), call) : arg))]
        : [...args];
  const result: unknown = construct ? Reflect.construct(f as Callable, given) : Reflect.apply(f as Callable, receiver, given);
  if (f === Object.entries) for (const pair of result as readonly unknown[]) noteMade(trace, pair);
  return { result: f === Object.freeze ? result : bornHere(result) };
}

/** A call of a function of JavaScript that decides by what its callback returns: a callback that returns a value of the GPU is refused. */
export const askingSafely = (site: CallSite): CallSite =>
  otherAskers.has(site.f) ? { ...site, args: site.args.map((arg) => asked(arg, site.text)) } : site;

/** JavaScript's own functions, by identity: those that only move values work, those that would decide on one do not. */
export function builtin(trace: Trace, site: CallSite, call: Call): { result: unknown } | undefined {
  const { f, args, text } = site;
  if (fromHost.has(f) && !(f === Date && args.length > 0)) failHere("W2036", { text });
  if (mathNames.has(f)) return { result: callMath(f as Callable, args) };
  if (isLog(site)) {
    emitLog(trace, args);
    return { result: undefined };
  }
  if (f === Object.is) refuseUnsure(args[0], args[1]);
  const instead = toStatic.get(f);
  if (instead && args.some(isOnGpu)) failHere("W2035", { text, instead });
  return arrayMethod(trace, site, call) ?? staticFunction(trace, site, call);
}
