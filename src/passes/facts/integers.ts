import type { Target } from "../../base/target.ts";
import {
  type AnyOp,
  bitsOf,
  isInteger,
  isScalar,
  type Op,
  type OpName,
  operandList,
  type ScalarType,
  type Type,
  type Value,
} from "../../ir/index.ts";
import { evaluate, isEvaluated } from "../evaluate/evaluate.ts";
import { mirrored } from "../rewrite/rewrite.ts";
import { type Arithmetic, arithmetic, everything, powerOfShift } from "./arithmetic.ts";
import {
  alike,
  anything,
  type Bounds,
  constant,
  either,
  exactly,
  gcd,
  type Interval,
  isWhole,
  type Known,
  top,
  widened,
  wrapped,
} from "./known.ts";
import { type Origin, type Origins, seenThrough } from "./origins.ts";
import { Solver } from "./solve.ts";

/** How the threads are arranged that run the ops. */
export interface Shape {
  readonly block: readonly number[];
  readonly cluster: readonly number[];
  readonly limits: Target["limits"];
}

/** What a rule asks. */
interface Asking {
  readonly shape: Shape;
  readonly of: (value: Value) => Known | undefined;
  /** What a value is, seen through what control flow only hands on. */
  readonly seen: (value: Value) => Value;
  readonly maker: (value: Value) => AnyOp | undefined;
}

/** What an op says of its result of that type; undefined where one of its operands has no value yet. */
type Rule<K extends OpName> = (op: Op<K>, type: ScalarType, ask: Asking) => Known | undefined;

type Two = { readonly operands: { readonly a: Value; readonly b: Value } };

/** A result that its type may have to cut (`wrapped`), or that it always holds (`exactly`). */
const ofTwo =
  (rule: Arithmetic, give: typeof wrapped) =>
  ({ operands }: Two, type: ScalarType, { of }: Asking): Known | undefined => {
    const [a, b] = [of(operands.a), of(operands.b)];
    return a && b && give(type, computed(rule, a, b));
  };

function computed({ range, bits, divisor }: Arithmetic, a: Known, b: Known): Bounds {
  const [least, most] = range(a, b);
  return { least, most, bits: bits(a, b), divisor: divisor(a, b) };
}

const within = (type: ScalarType, [least, most]: Interval, bounds: Bounds = anything): Known =>
  exactly(type, { ...bounds, least: Math.max(bounds.least, least), most: Math.min(bounds.most, most) });

const counted =
  <K extends OpName>(count: (from: number) => number): Rule<K> =>
  (op, type) =>
    within(type, [0, count(widthOf(operandList(op as Op)[0]?.type))]);
const widthOf = (type: Type | undefined): number => (type && isScalar(type) ? Math.max(bitsOf(type), 32) : 64);

/** What special registers hold. PTX ISA 10. */
function special(reg: Op<"sreg">["attrs"]["reg"], { block, cluster, limits }: Shape): Interval {
  const axis = "xyz".indexOf(reg.at(-1) ?? "");
  if (reg.startsWith("tid.")) return [0, (block[axis] ?? limits.threads) - 1];
  if (reg.startsWith("ctaid.") || reg.startsWith("clusterid.")) return [0, (limits.grid[axis] ?? 1) - 1];
  if (reg.startsWith("nctaid.")) return [1, limits.grid[axis] ?? 1];
  return [0, (reg === "laneid" ? 32 : product(cluster)) - 1];
}
const product = (list: readonly number[]): number => list.reduce((n, extent) => n * extent, 1);

function shiftLeft({ operands }: Op<"shl">, type: ScalarType, { of }: Asking): Known | undefined {
  const [a, by] = [of(operands.a), of(operands.by)];
  if (!a || !by) return undefined;
  const power = powerOfShift(by, bitsOf(type));
  if (!power) return wrapped(type, { ...anything, divisor: a.divisor });
  return wrapped(type, computed(arithmetic.mul, a, power));
}

function shiftRight({ operands }: Op<"shr">, type: ScalarType, { of }: Asking): Known | undefined {
  const [a, by] = [of(operands.a), of(operands.by)];
  if (!a || !by) return undefined;
  const power = powerOfShift(by, bitsOf(type));
  if (!power) return within(type, [Math.min(a.least, 0), Math.max(a.most, 0)]);
  const ends = [a.least, a.most].flatMap((x) => [power.least, power.most].map((y) => Math.floor(x / y)));
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  if (power.least < power.most) return exactly(type, { ...anything, least, most });
  const narrow = a.least >= -(2 ** 31) && a.most < 2 ** 32 && power.least <= 2 ** 31;
  const shift = Math.log2(power.least);
  const bits = !narrow ? -1 : a.least < 0 ? a.bits >> shift : a.bits >>> shift;
  return exactly(type, { least, most, bits, divisor: a.divisor % power.least === 0 ? a.divisor / power.least : 1 });
}

type Comparison = Op<"cmp">["attrs"]["is"];

/** How two integers compare; undefined where it may be either. */
function compares(is: Comparison, a: Bounds, b: Bounds): boolean | undefined {
  switch (is) {
    case "lt":
      return a.most < b.least ? true : a.least >= b.most ? false : undefined;
    case "le":
      return a.most <= b.least ? true : a.least > b.most ? false : undefined;
    case "gt":
    case "ge":
      return compares(mirrored[is], b, a);
    case "eq":
    case "ne": {
      if (a.most < b.least || b.most < a.least) return is === "ne";
      return a.least === a.most && b.least === b.most && a.least === b.least ? is === "eq" : undefined;
    }
  }
}

/** How a value compares with itself: a float may be NaN. */
function besideItself(is: Comparison, type: Type): boolean | undefined {
  if (is === "lt" || is === "gt") return false;
  return isWhole(type) ? is !== "ne" : undefined;
}

function comparison(op: Op<"cmp">, type: ScalarType, { of, seen }: Asking): Known | undefined {
  const { a, b } = op.operands;
  const [x, y] = [of(a), of(b)];
  if (!x || !y) return undefined;
  const { is } = op.attrs;
  const itself = seen(a) === seen(b) ? besideItself(is, a.type) : undefined;
  const answer = itself ?? (isWhole(a.type) ? compares(is, x, y) : undefined);
  return answer === undefined ? top(type) : constant(type, answer);
}

const opposite = { eq: "ne", ne: "eq", lt: "ge", ge: "lt", gt: "le", le: "gt" } as const;

/** The values for which a comparison with `b` holds. */
function where(is: Comparison, b: Bounds): Interval {
  switch (is) {
    case "lt":
      return [everything[0], b.most - 1];
    case "le":
      return [everything[0], b.most];
    case "gt":
      return [b.least + 1, everything[1]];
    case "ge":
      return [b.least, everything[1]];
    case "eq":
      return [b.least, b.most];
    case "ne":
      return everything;
  }
}

/** What a comparison that holds says of a value that it compares; undefined where it never holds. */
function compared(value: Value, is: Comparison, cmp: Op<"cmp">, ask: Asking): Known | undefined {
  const own = ask.of(value);
  const type = value.type;
  if (!own || !isInteger(type) || !isScalar(type)) return own;
  const side =
    ask.seen(value) === ask.seen(cmp.operands.a) ? "a" : ask.seen(value) === ask.seen(cmp.operands.b) ? "b" : undefined;
  const other = side && ask.of(cmp.operands[side === "a" ? "b" : "a"]);
  if (!other) return own;
  const [low, high] = where(side === "a" ? is : mirrored[is], other);
  const [least, most] = [Math.max(own.least, low), Math.min(own.most, high)];
  return least > most ? undefined : exactly(type, { ...own, least, most });
}

/** Either side; what the condition compares is known to be so on each. */
function selection(op: Op<"select">, type: Type, ask: Asking): Known | undefined {
  const { condition, yes, no } = op.operands;
  const [c, x, y] = [ask.of(condition), ask.of(yes), ask.of(no)];
  if (!c || !x || !y) return undefined;
  if (c.literal !== undefined) return c.literal ? x : y;
  const cmp = ask.maker(condition);
  if (cmp?.name !== "cmp") return either(type, x, y);
  const { is } = cmp.attrs;
  const [a, b] = [compared(yes, is, cmp, ask), compared(no, opposite[is], cmp, ask)];
  return a && b ? either(type, a, b) : (a ?? b ?? top(type));
}

/** The same number in another integer type, or the same bits. */
function retyped({ operands: { a } }: Op<"convert"> | Op<"bitcast">, type: ScalarType, { of }: Asking): Known | undefined {
  const from = of(a);
  return from && isWhole(a.type) ? wrapped(type, from) : from && top(type);
}

const rules = {
  add: ofTwo(arithmetic.add, wrapped),
  sub: ofTwo(arithmetic.sub, wrapped),
  mul: ofTwo(arithmetic.mul, wrapped),
  div: ofTwo(arithmetic.div, exactly),
  rem: ofTwo(arithmetic.rem, exactly),
  min: ofTwo(arithmetic.min, exactly),
  max: ofTwo(arithmetic.max, exactly),
  and: ofTwo(arithmetic.and, exactly),
  or: ofTwo(arithmetic.or, exactly),
  xor: ofTwo(arithmetic.xor, exactly),
  "mul.hi": ({ operands }, type, { of }) => {
    const [a, b] = [of(operands.a), of(operands.b)];
    if (!a || !b) return undefined;
    return a.least >= 0 && b.least >= 0 ? within(type, [0, Math.min(a.most, b.most)]) : top(type);
  },
  neg: ({ operands: { a } }, type, { of }) => {
    const from = of(a);
    return from && wrapped(type, computed(arithmetic.sub, constant(type, 0), from));
  },
  not: ({ operands: { a } }, type, { of }) => {
    const from = of(a);
    if (!from) return undefined;
    const all = type === "pred" ? 1 : -1;
    return type === "pred" || type[0] === "i"
      ? exactly(type, { ...anything, least: all - from.most, most: all - from.least })
      : top(type);
  },
  abs: ({ operands: { a } }, type, { of }) => {
    const from = of(a);
    if (!from || from.least >= 0) return from;
    const most = Math.max(-from.least, from.most);
    return wrapped(type, { ...anything, least: Math.max(0, -from.most), most, divisor: from.divisor });
  },
  shl: shiftLeft,
  shr: shiftRight,
  cmp: comparison,
  select: selection,
  convert: retyped,
  bitcast: retyped,
  popc: counted((width) => width),
  clz: counted((width) => width),
  sreg: ({ attrs }, type, { shape }) => within(type, special(attrs.reg, shape)),
  "warp.index": (_op, type, { shape }) => within(type, [0, Math.ceil(product(shape.block) / 32) - 1]),
} as const satisfies { readonly [K in OpName]?: Rule<K> };

const ruleOf = (name: OpName): Rule<OpName> | undefined =>
  (rules as Readonly<Record<string, unknown>>)[name] as Rule<OpName> | undefined;

/** Is there anything to say of what the op gives? */
const tells = ({ name, results }: AnyOp): boolean => results.length === 1 && (ruleOf(name) !== undefined || isEvaluated(name));

function ofOp(op: AnyOp, value: Value, ask: Asking): Known | undefined {
  if (op.name === "const") return constant(value.type, op.attrs.value);
  if (!tells(op)) return top(value.type);
  const operands = operandList(op as Op).map(ask.of);
  if (operands.includes(undefined)) return undefined;
  const literals = operands.flatMap((known) => known?.literal ?? []);
  const result = literals.length === operands.length ? evaluate(op as Op, literals) : undefined;
  if (result !== undefined) return constant(value.type, result);
  if (op.name === "select") return selection(op, value.type, ask);
  return isWhole(value.type) ? (ruleOf(op.name)?.(op as Op, value.type, ask) ?? top(value.type)) : top(value.type);
}

const counts = (op: AnyOp): readonly Value[] =>
  op.name === "for" ? [op.operands.start, op.operands.stop, op.operands.step] : [];

/** The index of a loop. It and the number of iterations do not overflow. */
function indexOf(op: AnyOp, type: Type, of: Asking["of"]): Known | undefined {
  const [start, stop, step] = counts(op).map(of);
  if (!start || !stop || !step || !isWhole(type)) return undefined;
  const up: Interval = [start.least, Math.max(start.least, stop.most - 1)];
  const down: Interval = [Math.min(start.most, stop.least + 1), start.most];
  const [least, most] = step.least > 0 ? up : step.most < 0 ? down : [Math.min(up[0], down[0]), Math.max(up[1], down[1])];
  return within(type, [least, most], { ...anything, divisor: gcd(start.divisor, step.divisor) });
}

function brought(sources: readonly Value[], type: Type, of: Asking["of"]): Known | undefined {
  const known = sources.flatMap((value) => of(value) ?? []);
  return known.length === 0 ? undefined : known.reduce((a, b) => either(type, a, b));
}

/** Ranges, divisors and bits of integers, truths of predicates, and all literals. */
export function integersOf(origins: Origins, shape: Shape): Solver<Known> {
  const maker = (value: Value): AnyOp | undefined => origins.maker(value);
  const seen = (value: Value): Value => seenThrough(origins, value);
  const dependencies = ({ op, index, sources }: Origin): readonly Value[] => {
    if (sources) return sources;
    if (!op) return [];
    if (index) return counts(op);
    const cmp = op.name === "select" ? maker(op.operands.condition) : undefined;
    const operands = tells(op) ? operandList(op as Op) : [];
    return cmp?.name === "cmp" ? [...operands, ...operandList(cmp as Op)] : operands;
  };
  return new Solver<Known>({
    needs: (value) => {
      const origin = origins.get(value);
      return origin ? dependencies(origin) : [];
    },
    evaluate: (value, of) => {
      const origin = origins.get(value);
      if (!origin) return top(value.type);
      if (origin.sources) return brought(origin.sources, value.type, of);
      if (!origin.op) return top(value.type);
      return origin.index ? indexOf(origin.op, value.type, of) : ofOp(origin.op, value, { shape, of, seen, maker });
    },
    top: ({ type }) => top(type),
    grow: ({ type }, before, now, times) => widened(type, before, either(type, before, now), times),
    alike,
  });
}
