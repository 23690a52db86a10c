/** Random expressions of each type: what is at hand, loads, choices, conversions, operators. */
import { type Expr, isFloatType, isIntType, isNarrowType, type Place, product, type Type } from "../program.ts";
import { besideFloat, float } from "./floats.ts";
import { arithmeticType, beside, fit, integer, narrowInteger } from "./integers.ts";
import { interval, type Maker, op, type Readable, type Scope, stagedWhole, text, union, variableText, whole } from "./maker.ts";

const comparisons = ["eq", "ne", "lt", "le", "gt", "ge"] as const;

/** An index below `extent`: of any integer type, static or staged. */
export function indexBelow(m: Maker, scope: Scope, extent: number, depth: number): Expr {
  const bound = interval(0, extent - 1);
  const fitting = scope.variables.filter((v) => v.sure && v.range && v.range.lo >= 0n && v.range.hi <= bound.hi);
  const kind = m.random.weighted({ known: fitting.length > 0 ? 5 : 0, number: 2, value: depth > 0 ? 4 : 1 });
  if (kind === "known") return variableText(m.random.pick(fitting));
  if (kind === "number" || extent === 1) return whole("i32", m.random.below(extent));
  const types = m.types.filter((t) => isIntType(t) && !isNarrowType(t));
  const type = m.random.chance(0.75) || types.length === 0 ? "i32" : m.random.pick(types);
  return fit(m, m.make(scope, type, Math.min(depth - 1, 1)), bound);
}

export function placeIn(m: Maker, scope: Scope, from: Readable, depth: number): Place {
  const index = from.shape.map((extent) => indexBelow(m, scope, extent, depth));
  return { memory: from.name, index, form: m.random.pick(["index", "index", "at", "row"]) };
}

export function load(m: Maker, scope: Scope, from: Readable, depth: number): Expr {
  const place = placeIn(m, scope, from, depth);
  const type = from.type;
  if (depth > 0 && m.random.chance(0.12) && from.kind === "input" && !from.dynamic)
    return predicated(m, scope, place, from, depth);
  return made(place, type);
}

/** A load that does not happen where the index lies outside, or where a condition says so. */
function predicated(m: Maker, scope: Scope, place: Place, { type, shape }: Readable, depth: number): Expr {
  const other = m.make(scope, type, depth - 1);
  const wanted = m.make(scope, "bool", depth - 1);
  if (m.random.chance(0.5)) return made({ ...place, form: "pred", pred: wanted, other }, type);
  const extent = shape.at(-1) ?? 1;
  const last = fit(m, m.make(scope, "i32", depth - 1), interval(-2 * extent, 2 * extent));
  const above = op("ge", "bool", [last, whole("i32", 0)]);
  const inside = op("andThen", "bool", [above, op("lt", "bool", [last, whole("i32", extent)])]);
  return made({ ...place, index: [...place.index.slice(0, -1), last], form: "pred", pred: inside, other }, type);
}

const made = (place: Place, type: Type): Expr => ({
  kind: "load",
  place,
  type,
  sure: true,
  range: op("convert", type, []).range,
});

/** Something that is there already. `deep`: inside an index, where loads would lead to ever more loads. */
function leaf(m: Maker, scope: Scope, type: Type, deep = false): Expr {
  const known = scope.variables.filter((v) => v.type === type && v.sure);
  const from = scope.readable.filter((r) => r.type === type);
  const kind = m.random.weighted({
    known: known.length > 0 ? 6 : 0,
    load: from.length > 0 ? (deep ? 0.3 : 3) : 0,
    ids: type === "i32" ? 1.5 : 0,
    number: 0.4,
  });
  // What has just been made is what the next statement should use.
  if (kind === "known") return variableText(m.random.pick(m.random.chance(0.6) ? known.slice(-3) : known));
  if (kind === "load") return load(m, scope, m.random.pick(from), 0);
  if (kind === "ids") return launchId(m);
  return constantOf(m, type);
}

function constantOf(m: Maker, type: Type): Expr {
  if (type === "bool") return op("toBool", "bool", [text(m.random.pick(["true", "false"]), "bool", false)]);
  if (isFloatType(type))
    return op("convert", type, [
      { kind: "literal", text: m.random.pick(["0.1", "1.75", "-3.3", "1e-4", "12345.678"]), type, sure: false },
    ]);
  return stagedWhole(type, type[0] === "u" ? m.random.below(100) : m.random.between(-50, 100));
}

/** The thread's and the block's place. */
function launchId(m: Maker): Expr {
  const { threads: block, grid } = m;
  const [name, extent] = m.random.pick([
    ["threadIdx.x", block[0] ?? 1],
    ["threadIdx.y", block[1] ?? 1],
    ["blockIdx.x", grid[0] ?? 1],
    ["blockIdx.y", grid[1] ?? 1],
    ["warp.lane", Math.min(32, product(block))],
    ["warp.index", Math.ceil(product(block) / 32)],
    ["gridDim.x", (grid[0] ?? 1) + 1],
  ] as const);
  return text(name, "i32", true, interval(0, extent - 1));
}

/** Two values of one type, of which one at least is sure. */
export function pair(m: Maker, scope: Scope, type: Type, depth: number): readonly [Expr, Expr] {
  const a = m.make(scope, type, depth);
  if (type === "bool") return [a, m.make(scope, type, depth)];
  const b = isFloatType(type) ? besideFloat(m, scope, type, depth) : beside(m, scope, arithmeticType(type), depth);
  return m.random.chance(0.25) ? [b, a] : [a, b];
}

function truth(m: Maker, scope: Scope, depth: number): Expr {
  const kind = m.random.weighted({ compare: 8, not: 1, both: 2, either: 2, same: 1, convert: 1, nan: 1, fromNumber: 1 });
  const make = (): Expr => m.make(scope, "bool", depth - 1);
  const numbers = m.types.filter((t) => t !== "bool");
  switch (kind) {
    case "compare":
      return op(m.random.pick(comparisons), "bool", pair(m, scope, m.random.pick(numbers), depth - 1));
    case "not":
      return op("isNot", "bool", [make()]);
    case "both":
      return op("andThen", "bool", [make(), make()]);
    case "either":
      return op("orElse", "bool", [make(), make()]);
    case "same":
      return op(m.random.pick(["eq", "ne"]), "bool", [make(), make()]);
    case "nan": {
      const type = m.random.pick(numbers);
      return op("isNotNumber", "bool", [leaf(m, scope, type)]);
    }
    case "convert":
      return op("toBool", "bool", [m.make(scope, m.random.pick(numbers), depth - 1)]);
    case "fromNumber":
      return op("isNot", "bool", [m.make(scope, m.random.pick(numbers), depth - 1)]);
  }
}

/** What an `if` or a loop asks: a truth value, a number, or a mixture that is only one of the two. */
export function condition(m: Maker, scope: Scope, depth: number): Expr {
  const number = (): Expr => m.make(scope, m.random.pick(m.types), depth - 1);
  const kind = m.random.weighted({ truth: 7, number: 1, mixed: 1 });
  if (kind === "truth") return m.make(scope, "bool", depth);
  if (kind === "number") return number();
  return op(m.random.pick(["andThen", "orElse"]), "bool", [number(), m.make(scope, "bool", depth - 1)]);
}

/** `c ? a : b`, `a && b`, `a || b` of two values of one type. */
function choice(m: Maker, scope: Scope, type: Type, depth: number): Expr {
  const [a, b] = [m.make(scope, type, depth - 1), m.make(scope, type, depth - 1)];
  const range = a.range && b.range ? union(a.range, b.range) : undefined;
  const kind = m.random.weighted({ choose: 4, andThen: 1, orElse: 1 });
  if (kind === "choose") return op(kind, type, [condition(m, scope, depth - 1), a, b], range);
  return op(kind, type, [a, b], range && union(range, interval(0, 0)));
}

/** A call of a function beside the kernel that gives this type. */
function call(m: Maker, scope: Scope, type: Type, depth: number): Expr | undefined {
  const fitting = m.helpers.filter((h) => h.result === type);
  if (fitting.length === 0) return undefined;
  const { name, params } = m.random.pick(fitting);
  const args = params.map((p) => m.make(scope, p.type, depth - 1));
  return { kind: "call", name, args, type, sure: true, range: op("convert", type, []).range };
}

/** A value of exactly that type, surely on the GPU. */
export function expression(m: Maker, scope: Scope, type: Type, depth: number): Expr {
  if (depth <= 0) return leaf(m, scope, type, depth < 0);
  const kind = m.random.weighted({ leaf: 3, choice: 1.5, load: 1.5, call: m.helpers.length > 0 ? 0.8 : 0, operator: 8 });
  const from = scope.readable.filter((r) => r.type === type);
  if (kind === "leaf") return leaf(m, scope, type);
  if (kind === "choice") return choice(m, scope, type, depth);
  if (kind === "load" && from.length > 0) return load(m, scope, m.random.pick(from), depth);
  const called = kind === "call" ? call(m, scope, type, depth) : undefined;
  if (called) return called;
  if (type === "bool") return truth(m, scope, depth);
  if (isFloatType(type)) return float(m, scope, type, depth);
  return isNarrowType(type) ? narrowInteger(m, scope, type, depth) : integer(m, scope, type, depth);
}
