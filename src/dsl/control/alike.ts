import { type Op, type Region, usesSome } from "../../ir/index.ts";
import { unaliased } from "../trace/aliases.ts";
import { Staged } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import { IterationReader, type Reading } from "./iteration-reader.ts";
import type { UnrolledLoop } from "./iterations.ts";

/**
 * Iterations at either end of a loop that may differ from the others: what is done in the first or the last alone is a branch of a loop on
 * the GPU.
 */
const ends = 2;

/** What is known of iterations that are alike. */
export interface Alike {
  /** The types, beside i32, of the literals that they count. */
  readonly types: ReadonlySet<string>;
}

/**
 * Do the iterations differ in nothing but integers that grow by the same step each time? Then one iteration can stand for all: no condition,
 * attribute or place in an object of the host needs the loop's variable, and nothing that one iteration alone has made is used after the loop.
 */
export function alike(trace: Trace, loop: UnrolledLoop): Alike | undefined {
  const { marks } = loop;
  let [before, at]: [Reading | undefined, Reading | undefined] = [undefined, undefined];
  const types = new Set<string>();
  let names: Reading["values"] | undefined;
  for (let i = ends; i < marks.length - 1 - ends; i++) {
    const [from, to] = [marks[i], marks[i + 1]];
    const next = from && to && new IterationReader(trace, from).read(loop.ops.slice(from.ops, to.ops), to);
    if (!next || (at && next.text !== at.text) || !usesSameKeys(loop, i)) return undefined;
    names = names ? commonNames(names, next.values) : next.values;
    if (!names || (before && at && !progresses(before, at, next))) return undefined;
    for (const [n, type] of next.types) if (at && next.numbers[n] !== at.numbers[n]) types.add(type);
    [before, at] = [at, next];
  }
  return hasOneCounter(loop) && !isUsedApart(trace, loop) ? { types } : undefined;
}

/** Are the places in objects of the host those of the iteration before? */
function usesSameKeys({ keys, marks }: UnrolledLoop, iteration: number): boolean {
  const of = (i: number) => keys.slice(marks[i]?.keys, marks[i + 1]?.keys);
  const [before, now] = [of(iteration - 1), of(iteration)];
  return now.length === before.length && now.every((key, n) => Object.is(key, before[n]));
}

/** The names that each value has in both; undefined where one has none. */
function commonNames(a: Reading["values"], b: Reading["values"]): Reading["values"] | undefined {
  const common: (readonly string[])[] = [];
  for (const [i, names] of a.entries()) {
    const others = b[i] ?? [];
    const both = names.length === 1 && names[0] === others[0] ? names : names.filter((name) => others.includes(name));
    if (both.length === 0) return undefined;
    common.push(both);
  }
  return common;
}

/** An integer that 32 bits hold: no arithmetic has rounded it, and on the GPU none wraps it. */
const isExact = (n: unknown): n is number => Number.isInteger(n) && Math.abs(n as number) < 2 ** 31;

/** Is each number as far from the one before as that was? */
const progresses = (first: Reading, second: Reading, third: Reading): boolean =>
  third.numbers.every((c, n) => {
    const [a, b] = [first.numbers[n], second.numbers[n]];
    if (Object.is(a, c) && Object.is(b, c)) return true;
    if (typeof a === "bigint" && typeof b === "bigint" && typeof c === "bigint") return c - b === b - a;
    return isExact(a) && isExact(b) && isExact(c) && c - b === b - a;
  });

/** Does one variable at most change that is static? A second one may be needed as static after the loop. */
function hasOneCounter({ marks }: UnrolledLoop): boolean {
  const [before, after] = [marks.at(-2)?.variables ?? [], marks.at(-1)?.variables ?? []];
  return after.filter((x, n) => !(x instanceof Staged) && !Object.is(x, before[n])).length <= 1;
}

/** Does what comes after the loop use a value that one iteration has made and no variable brings there, such as an element of an array? */
function isUsedApart(trace: Trace, { ops, marks, asked }: UnrolledLoop): boolean {
  const [first, last, end] = [marks[0], marks.at(-2), marks.at(-1)];
  if (!first || !last || !end) return false;
  const apart = new Set<number>();
  const isAskedForLater = (id: number): boolean => (trace.foundAt?.get(id) ?? 0) > asked;
  for (const { name, results } of ops.slice(0, last.ops))
    if (name !== "const") for (const { id } of results) if (id >= first.id && !isAskedForLater(id)) apart.add(id);
  for (const { results } of ops.slice(last.ops)) for (const { id } of results) apart.delete(id);
  for (const x of end.variables) if (x instanceof Staged) apart.delete(unaliased(trace, x.value).id);
  const inside = new Set(ops);
  const uses = (op: Op): boolean =>
    !inside.has(op) && (usesSome(op, (value) => apart.has(unaliased(trace, value).id)) || op.regions.some(inRegion));
  const inRegion = (region: Region): boolean => region.ops.some(uses);
  return inRegion(trace.region);
}
