import { bornHere, constructHere, controlOf } from "../control/frames.ts";
import { failHere } from "../fail-here.ts";
import { isStaged } from "../numbers/lift.ts";
import { usable } from "../numbers/unusable.ts";
import { isOwnFunction, isOwnObject, ownBrand } from "../staged.ts";
import type { Trace } from "../trace.ts";
import { builtin } from "./builtins.ts";
import { functionMeta, isExplicit } from "./functions.ts";
import { failNoFunction } from "./missing-member.ts";
import { takesQuotients } from "./quotient-takers.ts";

export type Callable = (...args: unknown[]) => unknown;

/** A call as the author wrote it. */
export interface CallSite {
  readonly f: unknown;
  readonly receiver: unknown;
  readonly args: readonly unknown[];
  readonly text: string;
  /** `new f(…)`. */
  readonly construct: boolean;
}

const deepest = 256;

const isOwn = (x: unknown): boolean => isOwnObject(x) || isOwnFunction(x) || (typeof x === "function" && ownBrand in x);

function apply({ f, receiver, args, construct }: CallSite): unknown {
  if (!construct) return Reflect.apply(f as Callable, receiver, [...args]);
  return functionMeta(f)
    ? constructHere(f as unknown as abstract new () => object, [...args])
    : bornHere(Reflect.construct(f as Callable, [...args]));
}

/** Runs a function that may emit; inside it a `return` ends the function, not the thread. */
function entered<T>(trace: Trace, text: string, run: () => T): T {
  const state = controlOf(trace);
  if (state.calls >= deepest) failHere("W2037", { text });
  state.calls++;
  try {
    return run();
  } finally {
    state.calls--;
  }
}

/** Every call in a kernel: nothing that has not been transformed is given a staged value, or makes one. */
export function callRule(trace: Trace, site: CallSite): unknown {
  const { f, args, text } = site;
  if (typeof f !== "function") {
    if (isKernelValue(f)) failHere("W2033", { text });
    failNoFunction(text, site.receiver, site.construct);
  }
  const meta = functionMeta(f);
  if (meta?.role === "kernel" || (isOwnFunction(f) && isKernelValue(f))) failHere("W2033", { text });
  const known = builtin(trace, site);
  if (known) return known.result;
  if (meta || isExplicit(f) || isOwn(f) || isOwn(site.receiver)) {
    if (!meta && !takesQuotients(f)) args.forEach(usable);
    return entered(trace, text, () => apply(site));
  }
  return callUntransformed(trace, site);
}

const isKernelValue = (f: unknown): boolean =>
  ((typeof f === "object" && f !== null) || typeof f === "function") && "launch" in f && "compile" in f;

const native = /\{\s*\[native code\]\s*\}\s*$/;
const whereOf = (f: Callable): string => (native.test(Function.prototype.toString.call(f)) ? " of JavaScript" : "");

/** A function that has not been transformed: it may compute with static values, and nothing else. */
function callUntransformed(trace: Trace, site: CallSite): unknown {
  const { f, receiver, args, text } = site;
  const refuse = (how: string): never => failHere("W2034", { text, where: whereOf(f as Callable), how });
  if (isStaged(args) || isStaged(receiver)) refuse("is given a value of the GPU");
  const before = trace.asked;
  const result = entered(trace, text, () => apply(site));
  if (trace.asked !== before) refuse("makes a value of the GPU");
  return bornHere(result);
}
