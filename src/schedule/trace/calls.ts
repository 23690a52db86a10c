/** What a call in a program means. */

import { refuseSurplus } from "../../base/diag/index.ts";
import { fieldsOf } from "../../base/fields.ts";
import type { DType } from "../../base/types.ts";
import type { CallSite } from "../../dsl/emit.ts";
import { bf16, bitcast, bool, e4m3, e5m2, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 } from "../../dsl/emit.ts";
import { fail } from "../errors/index.ts";
import { functionMeta, isOwnFunction } from "./functions.ts";
import { callMath, convert } from "./numbers.ts";
import { describe, holdsSymbolic, isSymbolic } from "./symbolic.ts";
import { failHere, type Tracing } from "./tracing.ts";

export type Callable = (...args: unknown[]) => unknown;

/** `f32` and its kin, by the function that the package exports. */
const converts = new Map<unknown, DType>(
  Object.entries({ f16, bf16, f32, f64, e4m3, e5m2, i32, u32, i16, u16, i8, u8, bool }).map(([name, f]) => [f, name as DType]),
);
const refusedConversions = new Set<unknown>([i64, u64, bitcast]);

const ofMath = new Map<unknown, string>(Object.getOwnPropertyNames(Math).map((name) => [fieldsOf(Math)[name], name]));

const methods = (owner: object, names: string): readonly unknown[] =>
  names.split(" ").flatMap((name) => (owner as Record<string, unknown>)[name] ?? []);

/** Methods of arrays and objects that only move values, or hand them to a function. */
const movers = new Set<unknown>([
  ...methods(
    Array.prototype,
    "map forEach reduce reduceRight slice concat entries keys values at flat flatMap toReversed toSpliced with push pop shift unshift splice fill reverse copyWithin",
  ),
  ...methods(Object, "keys values entries assign freeze fromEntries"),
  ...methods(Array, "from of isArray"),
  ...methods(Map.prototype, "get set has delete entries keys values forEach"),
  ...methods(Set.prototype, "has values forEach"),
  ...[Array, Map, Set],
  ...[console.log, console.error, console.info],
]);
/** Methods that decide by what a function says of each element. */
const askers = new Set<unknown>(
  methods(Array.prototype, "filter find findIndex findLast findLastIndex some every sort toSorted"),
);
/** Methods that change what they are called on; Object.assign changes its first argument. */
const changers = new Set<unknown>([
  ...methods(Array.prototype, "push pop shift unshift splice fill reverse copyWithin sort"),
  ...methods(Map.prototype, "set delete clear"),
  ...methods(Set.prototype, "add delete clear"),
]);
/** Functions that give a new object. */
const makers = new Set<unknown>([
  ...methods(Array.prototype, "map filter slice concat flat flatMap toReversed toSorted toSpliced with splice"),
  ...methods(Object, "keys values entries fromEntries"),
  ...methods(Array, "from of"),
]);

function failNoFunction({ text, construct }: CallSite, spans: Tracing): never {
  return fail("W2075", { text, construct, meant: undefined }, spans.spans());
}

/** Refuses to change an object where that is traced once and runs another number of times. */
export function checkChange(tracing: Tracing, object: unknown, what: string): void {
  if (typeof object !== "object" || object === null) return;
  const where = tracing.olderThan(object);
  if (where !== undefined) failHere("W5505", { what, where });
}

/** The function, refusing a symbolic answer: JavaScript would take it for true. */
function answering(f: unknown, text: string): unknown {
  if (typeof f !== "function") return f;
  return (...args: unknown[]): unknown => {
    const answer: unknown = f(...args);
    if (isSymbolic(answer))
      failHere("W5506", {
        what: `what \`${text}\` decides`,
        instead: "decide by host values, or write `c ? a : b` for each element",
      });
    return answer;
  };
}

function apply({ f, receiver, args, construct }: CallSite): unknown {
  return construct ? Reflect.construct(f as Callable, [...args]) : Reflect.apply(f as Callable, receiver, [...args]);
}

/** Every call in a program: nothing that was written outside it is given a symbolic value. */
export function callFunction(tracing: Tracing, site: CallSite): unknown {
  const { f, receiver, args, text, construct } = site;
  if (typeof f !== "function") return failNoFunction(site, tracing);
  const dtype = converts.get(f);
  if (dtype !== undefined || isOwnFunction(f)) refuseSurplus(f, args, text, tracing.spans());
  if (dtype !== undefined) return convert(dtype, args[0]);
  if (refusedConversions.has(f))
    return failHere("W5511", {
      op: `\`${text}\``,
      what: describe(args[0]),
      instead: "programs have i32 and u32, and f16, bf16, f32 and f64",
    });
  const math = ofMath.get(f);
  if (math !== undefined) return args.some(isSymbolic) ? callMath(math, args) : apply(site);
  if (isOwnFunction(f)) return apply(site);
  if (functionMeta(f)) return construct ? tracing.born(apply(site)) : apply(site);
  if (changers.has(f)) checkChange(tracing, receiver, `the object of \`${text}\``);
  if (f === Object.assign) checkChange(tracing, args[0], `the object of \`${text}\``);
  if (askers.has(f)) return checkedAsker(tracing, site);
  const isSure = movers.has(f);
  if (!isSure && (isSymbolic(receiver) || holdsSymbolic(args) || holdsSymbolic(receiver)))
    return failHere("W5516", {
      text,
      why: "was written outside the program and is given a value that is known only when it runs",
    });
  const result = apply(site);
  return construct || makers.has(f) ? tracing.born(result) : result;
}

function checkedAsker(tracing: Tracing, site: CallSite): unknown {
  const { f, receiver, args, text } = site;
  if (args.length === 0 && holdsSymbolic(receiver))
    return failHere("W5506", { what: `what \`${text}\` decides`, instead: "order by host values" });
  const result = Reflect.apply(f as Callable, receiver, [answering(args[0], text), ...args.slice(1)]);
  return makers.has(f) ? tracing.born(result) : result;
}
