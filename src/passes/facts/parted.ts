import { warpgroupSize, warpSize } from "../../base/target.ts";
import { type AnyOp, type Literal, type Op, type OpName, type Value, yielded } from "../../ir/index.ts";
import { mirrored } from "../rewrite/rewrite.ts";
import type { Shape } from "./integers.ts";
import type { Known } from "./known.ts";
import { type Origins, seenThrough } from "./origins.ts";

/** The least group of threads of which some are certainly missing: of some warps, only of some warpgroups, or of none that is known. */
export type Missing = "warp" | "warpgroup" | undefined;

/** Who is missing on the sides of a condition. */
export interface Parted {
  readonly yes: Missing;
  readonly no: Missing;
}
const whole: Parted = { yes: undefined, no: undefined };

/** What is missing where both are. */
export const worse = (a: Missing, b: Missing): Missing => (a === "warp" || b === "warp" ? "warp" : (a ?? b));

/** What conditions are made of. */
interface Asking {
  readonly block: readonly number[];
  /** The op that gives a value, seen through what control flow only hands on. */
  readonly maker: (value: Value) => AnyOp | undefined;
  readonly literal: (value: Value) => Literal | undefined;
  readonly sides: (condition: Value) => Parted;
}

function numberOf(value: Value, { literal }: Asking): number | undefined {
  const known = literal(value);
  return known === undefined ? undefined : Number(known);
}

/** A number from 0 to extent - 1 that neighbouring threads have one after the other, and how many of them a warp and a warpgroup have. */
interface Numbering {
  readonly extent: number;
  readonly perWarp: number;
  readonly perWarpgroup: number;
  /** Threads that follow each other have numbers that do. */
  readonly inLine: boolean;
}

const ofThreads = (extent: number, inLine: boolean): Numbering => ({
  extent,
  perWarp: warpSize,
  perWarpgroup: warpgroupSize,
  inLine,
});

function scaledDown(n: Numbering, by: number): Numbering {
  const part = (count: number): number => (count % by === 0 ? count / by : 0);
  return {
    ...n,
    extent: Math.ceil(n.extent / by),
    perWarp: part(n.perWarp),
    perWarpgroup: part(n.perWarpgroup),
    inLine: n.inLine,
  };
}

const threadsOf = (block: readonly number[]): number => block.reduce((n, extent) => n * extent, 1);
const powerOfTwo = (n: number): boolean => n > 0 && 2 ** Math.round(Math.log2(n)) === n;

type NumberingRule<K extends OpName> = (op: Op<K>, ask: Asking) => Numbering | undefined;

/** The remainder of a numbering, or its lowest bits. */
function repeated(of: Numbering | undefined, period: number | undefined): Numbering | undefined {
  return of && period !== undefined && period > 0 ? { ...of, extent: Math.min(of.extent, period) } : undefined;
}

/** Which ops number the threads, or the warps. */
const numberings = {
  sreg: ({ attrs }, { block }) => {
    const [x = 1] = block;
    const threads = threadsOf(block);
    if (attrs.reg === "tid.x") return ofThreads(x, threads === x);
    return attrs.reg === "laneid" ? ofThreads(Math.min(warpSize, threads), true) : undefined;
  },
  "warp.index": (_op, { block }) => {
    const extent = Math.ceil(threadsOf(block) / warpSize);
    return { extent, perWarp: 0, perWarpgroup: warpgroupSize / warpSize, inLine: true };
  },
  and: ({ operands }, ask) => {
    const mask = numberOf(operands.b, ask);
    return mask !== undefined && powerOfTwo(mask + 1) ? repeated(numberingOf(operands.a, ask), mask + 1) : undefined;
  },
  rem: ({ operands }, ask) => repeated(numberingOf(operands.a, ask), numberOf(operands.b, ask)),
  shr: ({ operands }, ask) => {
    const [of, by] = [numberingOf(operands.a, ask), numberOf(operands.by, ask)];
    return of && by !== undefined && by >= 0 && by < 16 ? scaledDown(of, 2 ** by) : undefined;
  },
  div: ({ operands }, ask) => {
    const [of, by] = [numberingOf(operands.a, ask), numberOf(operands.b, ask)];
    return of && by !== undefined && powerOfTwo(by) ? scaledDown(of, by) : undefined;
  },
} as const satisfies { readonly [K in OpName]?: NumberingRule<K> };

/** The number of its thread, or of its warp, that a value is; undefined where it is none. */
function numberingOf(value: Value, ask: Asking): Numbering | undefined {
  const op = ask.maker(value);
  const rule = op && (numberings as RulesFor<Numbering | undefined>)[op.name];
  return rule?.(op as Op, ask, value);
}

/** Is a number alone in its group of that many? */
function alone(number: number, { extent }: Numbering, size: number): boolean {
  const start = number - (number % size);
  return Math.min(start + size, extent) - start < 2;
}

/** Both sides of `number < border`, or of `number === only`. */
function sides(n: Numbering, parts: (size: number) => boolean): Parted {
  const missing: Missing =
    n.perWarp > 0 && parts(n.perWarp) ? "warp" : n.perWarpgroup > 0 && parts(n.perWarpgroup) ? "warpgroup" : undefined;
  return { yes: missing, no: missing };
}

type Comparison = keyof typeof mirrored;

function ofComparison(is: Comparison, a: Value, b: Value, ask: Asking): Parted {
  const n = numberingOf(a, ask);
  const limit = numberOf(b, ask);
  if (!n) return numberingOf(b, ask) && numberOf(a, ask) !== undefined ? ofComparison(mirrored[is], b, a, ask) : whole;
  if (limit === undefined) return whole;
  if (is === "eq" || is === "ne") {
    if (!(Number.isInteger(limit) && limit >= 0 && limit < n.extent && n.extent > 1)) return whole;
    return sides(n, (size) => !n.inLine || !alone(limit, n, size));
  }
  const border = is === "lt" || is === "ge" ? limit : limit + 1;
  if (!(n.inLine && border > 0 && border < n.extent)) return whole;
  return sides(n, (size) => border % size !== 0);
}

/** A condition that an `if` computes: `a && b` and `a || b` where b acts, so that one side is a literal. */
function ofChoice(op: Op<"if">, value: Value, ask: Asking): Parted {
  const at = op.results.findIndex((result) => result.id === value.id);
  const [yes, no] = op.regions.map((region) => yielded(region)[at]);
  const literal = (v: Value | undefined): Literal | undefined => v && ask.literal(v);
  const condition = ask.sides(op.operands.condition);
  if (yes && literal(no) === false) return { yes: worse(condition.yes, ask.sides(yes).yes), no: undefined };
  if (no && literal(yes) === true) return { yes: undefined, no: worse(condition.no, ask.sides(no).no) };
  return whole;
}

type ConditionRule<K extends OpName> = (op: Op<K>, ask: Asking, value: Value) => Parted;

/** Which ops tell threads apart, by what they give. */
const conditions = {
  cmp: ({ attrs, operands }, ask) => ofComparison(attrs.is, operands.a, operands.b, ask),
  "elect.sync": () => ({ yes: "warp", no: "warp" }),
  if: (op, ask, value) => ofChoice(op, value, ask),
  not: ({ operands }, ask) => {
    const { yes, no } = ask.sides(operands.a);
    return { yes: no, no: yes };
  },
  and: ({ operands }, ask) => ({ yes: worse(ask.sides(operands.a).yes, ask.sides(operands.b).yes), no: undefined }),
  or: ({ operands }, ask) => ({ yes: undefined, no: worse(ask.sides(operands.a).no, ask.sides(operands.b).no) }),
} as const satisfies { readonly [K in OpName]?: ConditionRule<K> };

/** A table of rules, for ops of any name. */
type RulesFor<T> = Readonly<Partial<Record<OpName, (op: Op, ask: Asking, value: Value) => T>>>;

/** Who is certainly missing; whoever is not known about may all be there. */
export interface Parting {
  readonly sides: (condition: Value) => Parted;
  /** Who is missing in the first iteration of `for (i = start; i < stop; i += step)`. */
  readonly missingIn: (loop: Op<"for">) => Missing;
}

/** Reads conditions. `origins` and `of` say what is so in the first iteration of the loops. */
export function partedOf(origins: Origins, { block }: Shape, of: (value: Value) => Known): Parting {
  const found = new Map<number, Parted>();
  const ask: Asking = {
    block,
    maker: (value) => origins.maker(seenThrough(origins, value)),
    literal: (value) => of(value).literal,
    sides: (condition) => {
      const before = found.get(condition.id);
      if (before) return before;
      const seen = seenThrough(origins, condition);
      const op = origins.maker(seen);
      const rule = op && (conditions as RulesFor<Parted>)[op.name];
      // Of a condition that never is anything else than itself, in code that never runs, nothing is known.
      found.set(condition.id, whole);
      const parted = rule?.(op as Op, ask, seen) ?? whole;
      found.set(condition.id, parted);
      return parted;
    },
  };
  return {
    sides: ask.sides,
    missingIn: ({ operands: { start, stop, step } }) => {
      const by = numberOf(step, ask);
      return by === undefined || by === 0 ? undefined : ofComparison(by > 0 ? "lt" : "gt", start, stop, ask).yes;
    },
  };
}
