import { type Known, Lanes } from "./values.ts";

/** How often each thread of a block runs what comes next: more than once in a loop that is gone through once for all its trips. */
export interface Active {
  readonly times: Float64Array;
  readonly sum: number;
}

const activeOf = (times: Float64Array): Active => ({ times, sum: times.reduce((sum, n) => sum + n, 0) });

/** All threads, once. */
export const everyone = (threads: number): Active => ({ times: new Float64Array(threads).fill(1), sum: threads });

const nobody = (threads: number): Active => ({ times: new Float64Array(threads), sum: 0 });

/** Those for whom a condition holds, and the others. Undefined where it is not known for some who come here. */
export function split(active: Active, condition: Known): readonly [yes: Active, no: Active] | undefined {
  const threads = active.times.length;
  if (typeof condition === "boolean") return condition ? [active, nobody(threads)] : [nobody(threads), active];
  if (!(condition instanceof Lanes)) return undefined;
  const { list } = condition;
  const [yes, no] = [new Float64Array(threads), new Float64Array(threads)];
  for (let lane = 0; lane < threads; lane++) {
    const times = active.times[lane] as number;
    if (times === 0) continue;
    const holds = list[lane];
    if (holds === undefined) return undefined;
    (holds ? yes : no)[lane] = times;
  }
  return [activeOf(yes), activeOf(no)];
}

/** Those for whom a condition may hold, and whether it is known of all. */
export function possibly(active: Active, condition: Known): { readonly active: Active; readonly sure: boolean } {
  const known = split(active, condition);
  if (known) return { active: known[0], sure: true };
  if (!(condition instanceof Lanes)) return { active, sure: false };
  const { list } = condition;
  return { active: activeOf(active.times.map((times, lane) => (list[lane] === false ? 0 : times))), sure: false };
}

/** Both: threads that went two ways. */
export const joined = (a: Active, b: Active): Active =>
  a.sum === 0 ? b : b.sum === 0 ? a : activeOf(a.times.map((times, lane) => times + (b.times[lane] as number)));

/** Those of either: it is not known which way they went. */
export const either = (a: Active, b: Active): Active =>
  activeOf(a.times.map((times, lane) => Math.max(times, b.times[lane] as number)));

/** Each thread so many times more often. */
export function repeated(active: Active, trips: number | readonly number[]): Active {
  if (typeof trips === "number") return { times: active.times.map((times) => times * trips), sum: active.sum * trips };
  return activeOf(active.times.map((times, lane) => times * (trips[lane] as number)));
}
