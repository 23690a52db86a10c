import { type AnyOp, bitsOf, deciders, isScalar, type Op, type OpName, operandList, opSpec, type Value } from "../../ir/index.ts";
import type { Shape } from "./integers.ts";
import { type Known, powerIn, rangeOf } from "./known.ts";
import type { Origin, Origins } from "./origins.ts";
import { Solver } from "./solve.ts";

/** Threads that follow each other: one, or those of a warp, of a warpgroup, of the block. */
export type Group = "thread" | "warp" | "warpgroup" | "block";

/** Over how many threads a value is the same. Threads are numbered in the block, x fastest, then y, then z. */
interface Sameness {
  /** All threads whose numbers, over this power of two, have the same quotient have the same value. Infinity: all of the block. */
  readonly over: number;
  /** Bit b of the value is bit b + `shift` of the thread's number, or 0; undefined where that is not known. */
  readonly shift: number | undefined;
}

const everywhere: Sameness = { over: Number.POSITIVE_INFINITY, shift: undefined };
const nowhere: Sameness = { over: 1, shift: undefined };
const over = (threads: number): Sameness => ({ over: threads, shift: undefined });

const both = (a: Sameness, b: Sameness): Sameness => ({
  over: Math.min(a.over, b.over),
  shift: a.shift === b.shift ? a.shift : undefined,
});

const together = (list: readonly Sameness[]): Sameness => over(Math.min(...list.map((s) => s.over)));

/** What a rule asks. */
interface Asking {
  readonly block: readonly number[];
  readonly of: (value: Value) => Sameness | undefined;
  readonly integer: (value: Value) => Known;
}
/** Over which threads the op's result is the same; undefined where that is not known of an operand yet. */
type Rule<K extends OpName> = (op: Op<K>, ask: Asking) => Sameness | undefined;

const isPower = (n: number): boolean => n > 0 && powerIn(n) === n;

/** The bits of a thread's number that one of its coordinates is: `inner` threads come before the next one, and `more` says whether others follow. */
function coordinate(inner: number, extent: number, outermost: boolean): Sameness {
  const plain = isPower(inner) && (outermost || isPower(extent));
  return plain ? { over: inner, shift: Math.log2(inner) } : over(powerIn(inner));
}

function ofRegister({ attrs: { reg } }: Op<"sreg">, { block }: Asking): Sameness {
  const [x = 1, y = 1, z = 1] = block;
  switch (reg) {
    case "tid.x":
      return coordinate(1, x, y * z === 1);
    case "tid.y":
      return coordinate(x, y, z === 1);
    case "tid.z":
      return coordinate(x * y, z, true);
    case "laneid":
      return { over: 1, shift: 0 };
    default:
      return everywhere;
  }
}

/** What is the same in a warp is what each of its lanes gets; one lane that all ask gives all of them the same. */
function ofShuffle({ operands: { value, by }, attrs: { mode } }: Op<"shfl">, { of }: Asking): Sameness | undefined {
  const [given, lane] = [of(value), of(by)];
  if (!given || !lane) return undefined;
  if (given.over >= 32) return given;
  return mode === "idx" && lane.over >= 32 ? over(32) : nowhere;
}

/** The same bits further up, where `by` is negative, or down. What is shifted may not be negative: its sign would come down. */
function shifted(a: Value, by: number | undefined, ask: Asking): Sameness | undefined {
  const from = ask.of(a);
  if (!from) return undefined;
  const known = from.shift !== undefined && by !== undefined && ask.integer(a).least >= 0;
  return known ? { over: from.over, shift: (from.shift ?? 0) + by } : over(from.over);
}

const numberOf = (value: Value, { integer }: Asking): number | undefined => {
  const { literal } = integer(value);
  return typeof literal === "number" ? literal : undefined;
};

const exponent = (n: number | undefined): number | undefined => (n !== undefined && isPower(n) ? Math.log2(n) : undefined);

/** Nothing but a literal, or 0 bits, changes bits without mixing those of two values. */
function masked(a: Value, b: Value, ask: Asking): Sameness | undefined {
  const [x, y] = [ask.of(a), ask.of(b)];
  if (!x || !y) return undefined;
  return numberOf(b, ask) !== undefined ? { over: x.over, shift: x.shift } : together([x, y]);
}

/** The same number in another type, where that holds it. */
function kept({ operands: { a }, results: [result] }: Op<"convert"> | Op<"bitcast">, ask: Asking): Sameness | undefined {
  const fits = result && ask.integer(a).most <= rangeOf(result.type)[1];
  return shifted(a, fits ? 0 : undefined, ask);
}

const rules = {
  sreg: ofRegister,
  "warp.index": () => ({ over: 32, shift: 5 }),
  "elect.sync": () => nowhere,
  "vote.ballot": () => over(32),
  vote: () => over(32),
  "match.all": () => over(32),
  "redux.sync": () => over(32),
  shfl: ofShuffle,
  // It may read special registers: the thread's number is one.
  "ptx.pure": () => nowhere,
  and: ({ operands: { a, b } }, ask) => masked(a, b, ask),
  shr: ({ operands: { a, by } }, ask) => ofTwo(a, by, ask, shifted(a, countOf(by, ask), ask)),
  shl: ({ operands: { a, by } }, ask) => ofTwo(a, by, ask, shifted(a, minus(countOf(by, ask)), ask)),
  mul: ({ operands: { a, b } }, ask) => ofTwo(a, b, ask, shifted(a, minus(exponent(numberOf(b, ask))), ask)),
  div: ({ operands: { a, b } }, ask) => ofTwo(a, b, ask, shifted(a, exponent(numberOf(b, ask)), ask)),
  rem: ({ operands: { a, b } }, ask) =>
    ofTwo(a, b, ask, exponent(numberOf(b, ask)) === undefined ? undefined : shifted(a, 0, ask)),
  convert: kept,
  bitcast: kept,
} as const satisfies { readonly [K in OpName]?: Rule<K> };

const minus = (n: number | undefined): number | undefined => (n === undefined ? undefined : -n);

/** A shift count within the 32 bits of which something is known. */
function countOf(by: Value, ask: Asking): number | undefined {
  const n = numberOf(by, ask);
  return n !== undefined && n >= 0 && n < 8 ? n : undefined;
}

/** What is known of the bits, where that is; else the op is the same where both operands are. */
function ofTwo(a: Value, b: Value, ask: Asking, known: Sameness | undefined): Sameness | undefined {
  const [x, y] = [ask.of(a), ask.of(b)];
  if (!x || !y) return undefined;
  return known && known.shift !== undefined ? known : together([x, y]);
}

const ruleOf = (name: OpName): Rule<OpName> | undefined =>
  (rules as Readonly<Record<string, unknown>>)[name] as Rule<OpName> | undefined;

/** Does the op give the same wherever its operands are the same? */
const isFunction = ({ name }: AnyOp): boolean => opSpec(name).effects.length === 0;

/** Memory that no thread writes while the kernel runs. */
const isConstantLoad = (op: AnyOp): boolean => op.name === "ld.global" && op.attrs.cache === "nc";

function ofOp(op: AnyOp, ask: Asking): Sameness | undefined {
  const rule = ruleOf(op.name);
  if (rule) return rule(op as Op, ask);
  if (!isFunction(op) && !isConstantLoad(op)) return nowhere;
  const operands = operandList(op as Op).map(ask.of);
  return operands.includes(undefined) ? undefined : together(operands.flatMap((s) => s ?? []));
}

/** One of these each time, and the same one where what decides is the same. */
function brought({ op, sources = [], after }: Origin, of: Asking["of"]): Sameness | undefined {
  const known = sources.flatMap((value) => of(value) ?? []);
  const [first, ...more] = known;
  if (!first) return undefined;
  const decide = op && after && sources.length > 1 ? deciders(op as Op).flatMap((value) => of(value) ?? []) : [];
  const same = more.reduce(both, first);
  // Where threads differ in which one it is, they differ in which bits of their numbers it has.
  return { over: Math.min(same.over, ...decide.map((s) => s.over)), shift: after && more.length > 0 ? undefined : same.shift };
}

function needsOf({ op, index, sources, after }: Origin): readonly Value[] {
  if (sources) return op && after && sources.length > 1 ? [...sources, ...deciders(op as Op)] : sources;
  if (index && op?.name === "for") return [op.operands.start, op.operands.step];
  return op ? operandList(op as Op) : [];
}

const groups: readonly (readonly [least: number, group: Group])[] = [
  [Number.POSITIVE_INFINITY, "block"],
  [128, "warpgroup"],
  [32, "warp"],
];

export interface Uniformity {
  readonly of: (value: Value) => Group;
  readonly forget: (value: Value) => void;
}

/** Over which threads values are the same. `integer` says what is known of them as numbers. */
export function uniformityOf(origins: Origins, { block }: Shape, integer: (value: Value) => Known): Uniformity {
  const threads = block.reduce((n, extent) => n * extent, 1);
  /** With what the bits say that may be set: threads that agree in those above have the same value. */
  const finish = (value: Value, found: Sameness): Sameness => {
    const known = integer(value);
    if (known.literal !== undefined) return everywhere;
    // Narrower types have their sign in the bits above.
    const shift = isScalar(value.type) && bitsOf(value.type) >= 32 ? found.shift : undefined;
    const bits = shift === undefined ? 0 : 2 ** shift * powerIn(known.bits >>> 0);
    const most = Math.max(found.over, bits);
    return { over: most >= threads ? Number.POSITIVE_INFINITY : most, shift };
  };
  const evaluate = (value: Value, of: Asking["of"]): Sameness | undefined => {
    const origin = origins.get(value);
    if (!origin) return nowhere;
    if (origin.sources) return brought(origin, of);
    if (!origin.op) return everywhere;
    if (!origin.index) return ofOp(origin.op, { block, of, integer });
    const ends = needsOf(origin).map(of);
    return ends.includes(undefined) ? undefined : together(ends.flatMap((s) => s ?? []));
  };
  const found = new Solver<Sameness>({
    needs: (value) => {
      const origin = origins.get(value);
      return origin ? needsOf(origin) : [];
    },
    evaluate: (value, of) => {
      const same = evaluate(value, of);
      return same && finish(value, same);
    },
    top: () => nowhere,
    grow: (_value, before, now) => both(before, now),
    alike: (a, b) => a.over === b.over && a.shift === b.shift,
  });
  return {
    of: (value) => {
      const { over: same } = found.of(value);
      return groups.find(([least]) => same >= least)?.[1] ?? "thread";
    },
    forget: (value) => found.forget(value),
  };
}
