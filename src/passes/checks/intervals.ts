import {
  type AnyOp,
  anyOp,
  bitsOf,
  integerRange,
  isInteger,
  isSigned,
  type Op,
  type ProgramOptions,
  type ScalarType,
  type Type,
  type Value,
  walkOps,
} from "../../ir/index.ts";

/** The least and the greatest integer that a value may be; ±Infinity from 2^53 on. */
export type Interval = readonly [least: number, most: number];

const everything: Interval = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** What an integer type holds. */
export function rangeOf(type: Type): Interval {
  if (typeof type !== "string" || type.startsWith("ptr") || !isInteger(type)) return everything;
  if (bitsOf(type as ScalarType) === 64) return [isSigned(type) ? Number.NEGATIVE_INFINITY : 0, Number.POSITIVE_INFINITY];
  const [least, most] = integerRange(type as ScalarType);
  return [Number(least), Number(most)];
}

const known = ([least, most]: Interval): boolean => Number.isSafeInteger(least) && Number.isSafeInteger(most);

/** Does every integer of `inner` lie in `outer`? An interval that is not finite does not even lie in that of 64 bits. */
export const liesIn = (inner: Interval, outer: Interval): boolean => known(inner) && inner[0] >= outer[0] && inner[1] <= outer[1];

type Rule = (a: Interval, b: Interval) => Interval;

const corners = (list: readonly number[]): Interval => [Math.min(...list), Math.max(...list)];
const product: Rule = (a, b) => corners(a.flatMap((x) => b.map((y) => x * y)));
const bitsBelow = (most: number): number => (most < 1 ? 0 : 2 ** (Math.floor(Math.log2(most)) + 1) - 1);

function quotient(a: Interval, b: Interval): Interval {
  return b[0] > 0 ? corners(a.flatMap((x) => b.map((y) => Math.trunc(x / y)))) : everything;
}

function remainder(a: Interval, b: Interval): Interval {
  if (b[0] <= 0) return everything;
  return [a[0] >= 0 ? 0 : Math.max(a[0], 1 - b[1]), a[1] < 0 ? 0 : Math.min(a[1], b[1] - 1)];
}

function conjunction(a: Interval, b: Interval): Interval {
  const tops = [a, b].filter(([least]) => least >= 0).map(([, most]) => most);
  return tops.length > 0 ? [0, Math.min(...tops)] : everything;
}

const disjunction: Rule = (a, b) => (a[0] >= 0 && b[0] >= 0 ? [0, bitsBelow(Math.max(a[1], b[1]))] : everything);

const rules: Readonly<Partial<Record<AnyOp["name"], Rule>>> = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1]],
  sub: (a, b) => [a[0] - b[1], a[1] - b[0]],
  mul: product,
  min: (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1])],
  max: (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1])],
  div: quotient,
  rem: remainder,
  and: conjunction,
  or: disjunction,
  xor: disjunction,
};

const union = (a: Interval, b: Interval): Interval => [Math.min(a[0], b[0]), Math.max(a[1], b[1])];

/** What is known of the launch. */
type Launched = Pick<ProgramOptions, "launch" | "target">;

/** What special registers hold. PTX ISA 10. */
function special(reg: string, { launch: { block }, target: { limits } }: Launched): Interval {
  const axis = "xyz".indexOf(reg.at(-1) ?? "");
  if (reg.startsWith("tid.")) return [0, (block[axis] ?? limits.threads) - 1];
  if (reg.startsWith("ctaid.")) return [0, (limits.grid[axis] ?? 1) - 1];
  if (reg.startsWith("nctaid.")) return [1, limits.grid[axis] ?? 1];
  return reg === "laneid" ? [0, 31] : [0, 2 ** 31 - 1];
}

/** Where values come from: the op that has them as a result, or the `for` whose index they are. */
interface Origins {
  readonly results: ReadonlyMap<number, AnyOp>;
  readonly indices: ReadonlyMap<number, Op<"for">>;
}

function originsOf(ops: readonly Op[]): Origins {
  const results = new Map<number, AnyOp>();
  const indices = new Map<number, Op<"for">>();
  walkOps({ params: [], ops }, (raw) => {
    const op = anyOp(raw);
    for (const result of op.results) results.set(result.id, op);
    const [index] = op.regions[0]?.params ?? [];
    if (op.name === "for" && index) indices.set(index.id, op);
  });
  return { results, indices };
}

type Of = (value: Value) => Interval;

const integer = (value: Value): boolean => typeof value.type === "string" && isInteger(value.type as ScalarType);

function shifted(op: Op<"shl"> | Op<"shr">, of: Of): Interval {
  const [by, most] = of(op.operands.by);
  if (by !== most || by < 0 || by > 31) return everything;
  const a = of(op.operands.a);
  return op.name === "shl" ? product(a, [2 ** by, 2 ** by]) : [Math.floor(a[0] / 2 ** by), Math.floor(a[1] / 2 ** by)];
}

/** A result of `if`: what the sides that reach their end yield. */
function chosen(op: Op<"if">, value: Value, of: Of): Interval {
  const at = op.results.indexOf(value);
  const sides = op.regions.flatMap(({ ops }) => {
    const last = ops.at(-1);
    return last?.name === "yield" ? [(last as Op<"yield">).operands.values[at]] : [];
  });
  const [first, ...more] = sides.map((side) => (side ? of(side) : everything));
  return first ? more.reduce(union, first) : everything;
}

/** The index of a `for`. */
function counted(op: Op<"for">, of: Of): Interval {
  const { start, stop, step } = op.operands;
  const [first, last] = [of(start), of(stop)];
  if (of(step)[0] > 0) return [first[0], Math.max(first[0], last[1] - 1)];
  return of(step)[1] < 0 ? [Math.min(first[1], last[0] + 1), first[1]] : everything;
}

function computed(op: AnyOp, value: Value, of: Of, launched: Launched): Interval {
  switch (op.name) {
    case "const":
      return typeof op.attrs.value === "boolean" ? everything : [Number(op.attrs.value), Number(op.attrs.value)];
    case "convert":
    case "bitcast":
      return op.operands.a.type === "pred" ? [0, 1] : integer(op.operands.a) ? of(op.operands.a) : everything;
    case "neg": {
      const [least, most] = of(op.operands.a);
      return [-most, -least];
    }
    case "select":
      return union(of(op.operands.yes), of(op.operands.no));
    case "shl":
    case "shr":
      return shifted(op, of);
    case "sreg":
      return special(op.attrs.reg, launched);
    case "warp.index":
      return [0, Math.ceil(launched.launch.block.reduce((n, d) => n * d, 1) / 32) - 1];
    case "if":
      return chosen(op, value, of);
    default: {
      const rule = rules[op.name];
      const { a, b } = op.operands as { readonly a?: Value; readonly b?: Value };
      return rule && a && b ? rule(of(a), of(b)) : everything;
    }
  }
}

/** How far back a value is followed at a time. */
const deepest = 500;

/** What each integer of these ops may be, as far as constants, launch bounds and loops with known ends say. */
export function intervalsOf(ops: readonly Op[], launched: Launched): Of {
  const { results, indices } = originsOf(ops);
  const found = new Map<number, Interval>();
  let depth = 0;
  const of: Of = (value) => {
    if (!integer(value)) return everything;
    const before = found.get(value.id);
    if (before) return before;
    const range = rangeOf(value.type);
    if (depth > deepest) return range;
    const loop = indices.get(value.id);
    const op = results.get(value.id);
    depth++;
    const exact = loop ? counted(loop, of) : op ? computed(op, value, of, launched) : everything;
    depth--;
    const interval = liesIn(exact, range) ? exact : range;
    found.set(value.id, interval);
    return interval;
  };
  return of;
}
