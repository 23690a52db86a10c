import { refuseSurplus, uncheckedOf } from "../../base/diag/index.ts";
import { isStaged } from "../numbers/lift.ts";
import { takesQuotients, usable } from "../numbers/unusable.ts";
import { bornHere, constructHere, controlOf, isOlderThanBranch, isUnderControl } from "../objects/frames.ts";
import { isBound, isNative } from "../objects/intrinsics.ts";
import { noteMade, noteReached, noteThrough } from "../objects/outer-reads.ts";
import { isPlain } from "../objects/value-key.ts";
import { readAll } from "../objects/whole.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { isOwnFunction, isOwnObject } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import { askingSafely, builtin } from "./builtins.ts";
import type { CallSite } from "./call-site.ts";
import { functionMeta, isExplicit, isOwn } from "./functions.ts";
import { failNoFunction } from "./missing-member.ts";
import { noteResult } from "./results.ts";

export type Callable = (...args: unknown[]) => unknown;

/** How deep calls of one function may be nested, and how deep calls of any. */
const most = { ofOne: 256, ofAll: 512 };

/** The functions that the trace is inside, outermost first. */
const inside = { make: (): unknown[] => [] };

/** Refuses recursion without an end, and calls that are too deep for the stack. W2037, W2067. */
function checkDepth(functions: readonly unknown[], { f, text }: CallSite): void {
  // Counted where it may matter: most calls are a few deep.
  if (functions.length < most.ofOne) return;
  if (functions.filter((other) => other === f).length >= most.ofOne) failHere("W2037", { text });
  if (functions.length >= most.ofAll) failHere("W2067", { text, depth: functions.length });
}

/** How many arguments a function of the language is given has been checked where the call stands: a callback may be given more than it takes. */
function apply({ f, receiver, args, construct }: CallSite): unknown {
  if (!construct) return Reflect.apply(uncheckedOf(f) as Callable, receiver, [...args]);
  return functionMeta(f)
    ? constructHere(f as abstract new () => object, [...args])
    : bornHere(Reflect.construct(f as Callable, [...args]));
}

/** Runs a function that may emit; inside it a `return` ends the function, not the thread. */
function entered<T>(trace: Trace, site: CallSite, run: () => T): T {
  const state = controlOf(trace);
  const functions = trace.state(inside);
  checkDepth(functions, site);
  functions.push(site.f);
  state.calls++;
  try {
    return run();
  } finally {
    state.calls--;
    functions.pop();
  }
}

const isList = (x: unknown): boolean => typeof x === "object" && x !== null && !isOwnObject(x) && isPlain(x);

/** Every call in a kernel: nothing that has not been transformed is given a staged value, or makes one. */
export function callFunction(trace: Trace, site: CallSite): unknown {
  const { f, args, text } = site;
  if (typeof f !== "function") {
    usable(f);
    if (isKernelValue(f)) failHere("W2033", { text });
    failNoFunction(text, site.receiver, site.construct);
  }
  const meta = functionMeta(f);
  if (meta?.role === "kernel" || (isOwnFunction(f) && isKernelValue(f))) failHere("W2033", { text });
  // A callback that it calls is a function of its own: a `return` in it does not end the thread.
  const runs = args.some((arg) => typeof arg === "function");
  const known = runs ? entered(trace, site, () => builtin(trace, site, callFunction)) : builtin(trace, site, callFunction);
  if (known) return known.result;
  if (meta || isExplicit(f) || isOwn(f) || isOwn(site.receiver)) {
    if (!meta && !takesQuotients(f)) args.forEach(usable);
    if (!meta && !isExplicit(f)) noteReached(trace, args, false);
    const result = entered(trace, site, () => apply(site));
    // A list that the language gives, such as the elements of a vector, is a new one.
    if (!meta && !isExplicit(f) && isList(result) && !args.includes(result)) noteMade(trace, result);
    return result;
  }
  return callUntransformed(trace, askingSafely(site));
}

/** Whether it is a function of the language, of which the author wrote nothing. */
const isOfLanguage = ({ f, receiver }: CallSite): boolean =>
  typeof f === "function" && !functionMeta(f) && !isExplicit(f) && !isKernelValue(f) && (isOwn(f) || isOwn(receiver));

/** A call that stands in a kernel, not one of a callback. W2078. */
export function callWritten(trace: Trace, site: CallSite): unknown {
  const known = isOfLanguage(site);
  const { f, args, text, construct } = site;
  if (known) refuseSurplus(f as Callable, args, construct ? `new ${text}` : text, spansHere());
  const before = trace.effects;
  const result = callFunction(trace, site);
  const isPure = trace.effects === before && !args.some((arg) => typeof arg === "function");
  noteResult(trace, known || (site.receiver === Math && isStaged(result)) ? { result, site, isPure } : undefined);
  return result;
}

const isKernelValue = (f: unknown): boolean =>
  ((typeof f === "object" && f !== null) || typeof f === "function") && "launch" in f && "compile" in f;

const whereOf = (f: Callable): string => (isNative(f) ? " of JavaScript" : "");

const methods = (owner: object, except: RegExp): unknown[] =>
  Object.entries(Object.getOwnPropertyDescriptors(owner)).flatMap(([name, { value }]) =>
    typeof value === "function" && name !== "constructor" && !except.test(name) ? [value as unknown] : [],
  );

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** Functions of JavaScript's own that change none of the objects they are given, so that it does not matter who calls them. */
const onlyReads: ReadonlySet<unknown> = new Set([
  ...methods(Object, /^(assign|define|freeze|seal|preventExtensions|setPrototypeOf)/),
  ...methods(Reflect, /^(apply|construct|define|delete|preventExtensions|set)/),
  ...methods(Object.prototype, /^__/),
  ...methods(Array.prototype, /^(push|pop|shift|unshift|splice|fill|reverse|copyWithin|sort)$/),
  ...methods(typedArray, /^(set|fill|reverse|copyWithin|sort)$/),
  ...methods(Map.prototype, /^(set|delete|clear)$/),
  ...methods(Set.prototype, /^(add|delete|clear)$/),
  ...methods(WeakMap.prototype, /^(set|delete)$/),
  ...methods(WeakSet.prototype, /^(add|delete)$/),
  ...methods(Date.prototype, /^set/),
  ...methods(DataView.prototype, /^set/),
  ...methods(ArrayBuffer.prototype, /^(resize|transfer)/),
  ...[String.prototype, Number.prototype, BigInt.prototype, Boolean.prototype].flatMap((each) =>
    methods(each, /^(match|matchAll|replace|replaceAll|search|split)$/),
  ),
  ...[String, Number, Boolean, BigInt, Symbol].flatMap((each) => [each, ...methods(each, /^prototype$/)]),
  ...[JSON.stringify, Array.isArray, Array.of, Array.from, structuredClone],
  ...[Map, Set, Array, Object, Error, TypeError, RangeError],
]);

/**
 * Under a condition of the GPU: a function of JavaScript's own that may change an object which is there before the condition. It would
 * change it in every thread, because the tracer does not see what it does. A bound function may change anything.
 */
function refuseUnfollowed(trace: Trace, { f, receiver, args, text }: CallSite): void {
  if (!isNative(f) || onlyReads.has(f)) return;
  const changes = (x: unknown): boolean => typeof x === "object" && x !== null && !isOwn(x) && isOlderThanBranch(trace, x);
  if (isBound(f) || changes(receiver) || args.some(changes)) failHere("W2069", { text });
}

const makers: ReadonlySet<unknown> = new Set([
  ...[JSON.parse, structuredClone, Reflect.ownKeys, Object.getOwnPropertyNames, Object.getOwnPropertySymbols],
  ...[Object.getOwnPropertyDescriptor, Object.getOwnPropertyDescriptors, RegExp.prototype.exec],
]);

/** Whether JavaScript has made an object that nobody else has: what a text or a typed array gives, and some functions. */
const isFresh = ({ f, receiver }: CallSite, result: unknown): boolean =>
  isNative(f) && result !== receiver && (typeof receiver === "string" || ArrayBuffer.isView(receiver) || makers.has(f));

/**
 * Runs code of the author's that the tracer does not see. It would draw one random number, or read the clock once, while the kernel is compiled, where JavaScript does
 * so in each thread. W2036.
 */
function withoutChance<T>(text: string, run: () => T): T {
  const [random, now] = [Math.random, Date.now];
  const refused = (): never => failHere("W2036", { text });
  Math.random = refused;
  Date.now = refused;
  try {
    return run();
  } finally {
    Math.random = random;
    Date.now = now;
  }
}

/** A function that has not been transformed: it may compute with static values, and nothing else. */
function callUntransformed(trace: Trace, site: CallSite): unknown {
  const { f, receiver, args, text } = site;
  const refuse = (how: string): never => failHere("W2034", { text, where: whereOf(f as Callable), how });
  readAll([receiver, ...args]);
  // What it is bound to cannot be seen.
  if (isBound(f)) noteThrough(trace, f);
  if (!site.reads) noteReached(trace, [receiver, ...args], !isNative(f) || isBound(f));
  if (isStaged(args) || isStaged(receiver)) refuse("is given a value of the GPU");
  if (isUnderControl(trace)) refuseUnfollowed(trace, site);
  const before = trace.asked;
  const result = isNative(f)
    ? entered(trace, site, () => apply(site))
    : withoutChance(text, () => entered(trace, site, () => apply(site)));
  if (trace.asked !== before) refuse("makes a value of the GPU");
  // The result may be an object that was there before: only transformed code tells that an object is new.
  if (isFresh(site, result)) noteMade(trace, result);
  return result;
}
