/** Random integers whose results lie in their type, or wrap where the language says so. */
import { type Expr, type Interval, type IntType, isNarrowType, isWideType, type Type } from "../program.ts";
import {
  fullRange,
  has,
  interval,
  type Maker,
  op,
  rangeOf,
  type Scope,
  stagedWhole,
  text,
  union,
  whole,
  within,
} from "./maker.ts";

const size = (x: bigint): bigint => (x < 0n ? -x : x);
const isWord = (type: Type): boolean => type === "i32" || type === "u32";

/** The value kept within [lo, hi], which holds 0. The value is sure. */
export function fit(m: Maker, e: Expr, { lo, hi }: Interval): Expr {
  const type = e.type as IntType;
  if (within(rangeOf(e), { lo, hi })) return e;
  const power = (hi & (hi + 1n)) === 0n && hi > 0n;
  if (power && type !== "u32" && (lo === 0n || m.random.chance(0.3)))
    return op(
      isWideType(type) ? "andWide" : "and",
      type === "u64" ? type : isWideType(type) ? type : "i32",
      [e, whole(type, hi)],
      { lo: 0n, hi },
    );
  const most = lo < 0n ? (hi < -lo ? hi : -lo) : hi;
  const rest = op("rem", arithmeticType(type), [e, whole(type, most + 1n)], remainder(rangeOf(e), most));
  if (within(rangeOf(rest), { lo, hi })) return rest;
  if (!isWideType(type)) return op("abs", arithmeticType(type), [rest], { lo: 0n, hi: most });
  // Bigints have no Math.abs.
  return op(
    "rem",
    type,
    [op("add", type, [rest, whole(type, most + 1n)], { lo: 1n, hi: 2n * most + 1n }), whole(type, most + 1n)],
    {
      lo: 0n,
      hi: most,
    },
  );
}

/** What a remainder by something up to `most` + 1 in size lies in: it has the sign of the dividend. */
const remainder = ({ lo, hi }: Interval, most: bigint): Interval => ({
  lo: lo < 0n ? (size(lo) < most ? lo : -most) : 0n,
  hi: hi > 0n ? (hi < most ? hi : most) : 0n,
});

/** Arithmetic on 8 and 16 bits is done in an i32. */
export const arithmeticType = (type: IntType): IntType => (isNarrowType(type) ? "i32" : type);

/** What stands beside a sure value of the type: a value, a static number, a variable of no type yet, a narrower integer. */
export function beside(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  const kind = m.random.weighted({ value: 5, number: 3, open: 1, narrow: type === "i32" ? 2 : 0 });
  if (kind === "number") return whole(type, isWideType(type) || type === "u32" ? m.random.below(20) : m.random.between(-9, 20));
  const open = scope.variables.filter((v) => v.type === type && !v.sure);
  if (kind === "open" && open.length > 0) {
    const v = m.random.pick(open);
    return text(v.name, v.type, false, v.range);
  }
  const narrow = m.types.filter(isNarrowType);
  if (kind === "narrow" && narrow.length > 0) return m.make(scope, m.random.pick(narrow), depth);
  return m.make(scope, type, depth);
}

const sums = { add: "addWraps", sub: "subWraps" } as const;
const unsignedSums = { add: "addWrapsUnsigned", sub: "subWrapsUnsigned" } as const;

function resultOf(name: "add" | "sub" | "mul", a: Interval, b: Interval): Interval {
  if (name === "add") return { lo: a.lo + b.lo, hi: a.hi + b.hi };
  if (name === "sub") return { lo: a.lo - b.hi, hi: a.hi - b.lo };
  const all = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
  return all.map((x) => ({ lo: x, hi: x })).reduce(union);
}

/** Sum, difference or product: as it is where it fits, else wrapping, else of smaller numbers. */
function arithmetic(m: Maker, scope: Scope, type: IntType, name: "add" | "sub" | "mul", depth: number): Expr {
  const [first, second] = [m.make(scope, type, depth), beside(m, scope, type, depth)];
  const [a, b] = m.random.chance(0.3) && second.sure ? [second, first] : [first, second];
  const range = resultOf(name, rangeOf(a), rangeOf(b));
  if (within(range, fullRange(type))) return op(name, type, [a, b], range);
  if (name !== "mul" && isWord(type) && m.random.chance(0.7)) {
    if (type === "i32" && m.random.chance(0.2)) return op("sumMasked", "i32", [a, b], interval(0, 255), 255);
    return op(type === "i32" ? sums[name] : unsignedSums[name], type, [a, b]);
  }
  if (name === "mul" && type === "i32" && m.random.chance(0.5)) return op("imul", type, [a, b]);
  const small = (e: Expr): Expr => (e.sure ? fit(m, e, { lo: type[0] === "u" ? 0n : -1000n, hi: 1000n }) : e);
  const [x, y] = [small(first), small(second)];
  const smaller = resultOf(name, rangeOf(x), rangeOf(y));
  if (within(smaller, fullRange(type))) return op(name, type, [x, y], smaller);
  return x;
}

/** A divisor that is not 0. */
function divisor(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  const low = type[0] === "u" ? 1 : m.random.pick([1, 1, -7]);
  if (m.random.chance(0.4)) return whole(type, low > 0 ? m.random.between(1, 40) : -m.random.between(1, 40));
  const most = m.random.pick([3, 7, 15, 100]);
  const some = fit(m, m.make(scope, type, depth), { lo: 0n, hi: BigInt(most) });
  const sum = op("add", type, [some, whole(type, 1)], interval(1, most + 1));
  return low > 0 ? sum : op("neg", type, [sum], interval(-most - 1, -1));
}

const signedQuotients = ["divTrunc", "divFloor", "divCeil", "divRound", "divOr", "divConvert", "cdiv"] as const;
const unsignedQuotients = ["divTrunc", "divFloor", "divCeil", "divRound", "divConvert", "cdiv"] as const;

function quotient(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  const [a, b] = [m.make(scope, type, depth), divisor(m, scope, type, depth)];
  const { lo, hi } = rangeOf(a);
  const most = size(lo) > size(hi) ? size(lo) : size(hi);
  const range = rangeOf(b).lo > 0n ? union(rangeOf(a), interval(0, 0)) : { lo: -most, hi: most };
  if (!within(range, fullRange(type))) return op("rem", type, [a, whole(type, 13)], interval(-12, 12));
  const kinds = type === "u32" ? unsignedQuotients : signedQuotients;
  return op(isWideType(type) ? "div" : m.random.pick(kinds), type, [a, b], range);
}

/** A 32-bit integer of either sign, or a narrower one: what the bitwise operators take. */
function word(m: Maker, scope: Scope, depth: number): Expr {
  const types = m.types.filter((t) => isNarrowType(t) || isWord(t));
  return m.make(scope, m.random.pick([...types, "i32" as const]), depth);
}

const bitwise = ["and", "or", "xor", "shl", "shr", "not", "imul", "toSigned", "threeWrap", "ushr"] as const;

function bits(m: Maker, scope: Scope, depth: number): Expr {
  const name = m.random.pick(bitwise);
  const a = word(m, scope, depth);
  if (name === "not" || name === "toSigned") return op(name, "i32", [a]);
  if (name === "ushr") {
    const range = { lo: 0n, hi: 2n ** BigInt(32 - m.random.between(1, 31)) - 1n };
    const by = 32 - range.hi.toString(2).length;
    return op("convert", "i32", [op("ushr", "u32", [a, whole("i32", by)], range)], range);
  }
  if (name === "threeWrap") {
    const make = () => m.make(scope, "i32", depth);
    return op(name, "i32", [make(), make(), make()]);
  }
  const b = m.random.chance(0.5) ? whole("i32", m.random.pick([1, 3, 5, 7, 8, 15, 31, 33, 255, 65535])) : word(m, scope, depth);
  const mask = !b.sure && name === "and" ? { lo: 0n, hi: rangeOf(b).hi } : undefined;
  return op(name, "i32", [a, b], mask);
}

function unary(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  const a = m.make(scope, type, depth);
  const { lo, hi } = rangeOf(a);
  const kinds = {
    abs: 2,
    sign: 1,
    neg: 2,
    min: 3,
    max: 3,
    min3: 1,
    popcount: 1,
    clz32: 1,
    clz: 1,
    plus: 1,
    power: 1,
    trunc: 1,
    mathPow: 1,
  } as const;
  const name = m.random.weighted(kinds);
  if (name === "popcount" || name === "clz32" || name === "clz")
    return type === "i32" ? op(name, "i32", [word(m, scope, depth)], interval(0, 32)) : a;
  if (name === "plus" || name === "trunc") return op(name, type, [a], rangeOf(a));
  if (name === "sign") return op(name, type, [a], interval(type === "u32" ? 0 : -1, 1));
  if (name === "min" || name === "max" || name === "min3") {
    const b = beside(m, scope, type, depth);
    const list = name === "min3" ? [a, b, whole(type, 5)] : [a, b];
    return op(name, type, list, list.map(rangeOf).reduce(union));
  }
  if (name === "power" || name === "mathPow") {
    const n = m.random.between(0, 4);
    const base = fit(m, a, interval(type === "u32" ? 0 : -50, 50));
    return op(name, type, [base], fullRange(type), n);
  }
  const small = lo === fullRange("i32").lo && type === "i32" ? fit(m, a, interval(-5000, 5000)) : a;
  if (name === "abs")
    return op(name, type, [small], {
      lo: 0n,
      hi: type === "u32" ? hi : size(rangeOf(small).lo) > hi ? size(rangeOf(small).lo) : hi,
    });
  return type === "i32" ? op("neg", type, [small], { lo: -rangeOf(small).hi, hi: -rangeOf(small).lo }) : a;
}

/** From another type, where the value surely fits. Floats saturate. */
function converted(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  const from = m.random.pick(m.types.filter((t) => t !== type));
  if (!from) return stagedWhole(type, 3);
  const a = m.make(scope, from, depth);
  if (from === "bool") return op("convert", type, [a], interval(0, 1));
  if (!a.range) return op("convert", type, [a]);
  const { lo, hi } = fullRange(type);
  const target = { lo: lo > 0n ? 0n : lo, hi };
  const source = fit(m, a, within(rangeOf(a), target) ? target : lowered(rangeOf(a), target));
  return op("convert", type, [source], rangeOf(source));
}

/** The interval around 0 in which both types have every number. */
function lowered(a: Interval, b: Interval): Interval {
  const hi = a.hi < b.hi ? a.hi : b.hi;
  const lo = a.lo > b.lo ? a.lo : b.lo;
  return { lo: lo > 0n ? 0n : lo, hi: hi < 0n ? 0n : hi };
}

/** i8, u8, i16 or u16: converted, because every operator gives an i32. */
export function narrowInteger(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  if (depth > 0 && m.random.chance(0.2)) return converted(m, scope, type, depth - 1);
  return op("convert", type, [fit(m, m.make(scope, "i32", depth - 1), fullRange(type))]);
}

function unsignedBits(m: Maker, scope: Scope, depth: number): Expr {
  const name = m.random.pick(["ushr", "ushr", "toUnsigned", "reverse", "funnelShift", "castUnsigned"] as const);
  if (name === "castUnsigned") return op(name, "u32", [m.make(scope, "i32", depth)]);
  if (name === "ushr") {
    const by = m.random.between(1, 31);
    if (m.random.chance(0.5))
      return op(name, "u32", [word(m, scope, depth), whole("i32", by)], { lo: 0n, hi: 2n ** BigInt(32 - by) - 1n });
    return op(name, "u32", [word(m, scope, depth), word(m, scope, depth)]);
  }
  const args = Array.from({ length: name === "funnelShift" ? 3 : 1 }, () => word(m, scope, depth));
  return op(name, "u32", args);
}

function wideBits(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  const name = m.random.pick(["andWide", "orWide", "xorWide", "shrWide", "shlWide", "notWide", "powerWide", "neg"] as const);
  const a = m.make(scope, type, depth);
  if (name === "neg") {
    const { lo, hi } = rangeOf(a);
    return type === "i64" && lo > fullRange(type).lo ? op(name, type, [a], { lo: -hi, hi: -lo }) : a;
  }
  if (name === "notWide") return type === "i64" ? op(name, type, [a]) : a;
  if (name === "powerWide")
    return op(name, type, [fit(m, a, interval(type === "u64" ? 0 : -100, 100))], fullRange(type), m.random.between(0, 5));
  if (name === "shrWide" || name === "shlWide") {
    const by = m.random.chance(0.5)
      ? whole(type, m.random.below(name === "shrWide" ? 64 : 20))
      : fit(m, m.make(scope, type, depth), interval(0, name === "shrWide" ? 63 : 15));
    if (name === "shrWide") return op(name, type, [a, by]);
    return op(name, type, [fit(m, a, interval(type === "u64" ? 0 : -(2 ** 30), 2 ** 30)), by]);
  }
  const b = m.random.chance(0.4) ? whole(type, m.random.pick([1, 7, 255, 65535, 2 ** 40])) : m.make(scope, type, depth);
  // Both sides of either sign: the result is no further from 0 than a power of two.
  return op(name, type, [a, b]);
}

/** An i32, u32, i64 or u64. */
export function integer(m: Maker, scope: Scope, type: IntType, depth: number): Expr {
  const kinds = { add: 4, sub: 3, mul: 3, rem: 2, quotient: 3, bits: 5, unary: 3, convert: 2, cast: 1 } as const;
  const kind = m.random.weighted(kinds);
  const below = depth - 1;
  switch (kind) {
    case "add":
    case "sub":
    case "mul":
      return arithmetic(m, scope, type, kind, below);
    case "rem": {
      const [a, b] = [m.make(scope, type, below), divisor(m, scope, type, below)];
      const most = [rangeOf(b).lo, rangeOf(b).hi].map(size).reduce((x, y) => (x > y ? x : y)) - 1n;
      return op("rem", type, [a, b], remainder(rangeOf(a), most));
    }
    case "quotient":
      return quotient(m, scope, type, below);
    case "bits":
      if (isWideType(type)) return wideBits(m, scope, type, below);
      return type === "u32" ? unsignedBits(m, scope, below) : bits(m, scope, below);
    case "unary":
      return isWideType(type) ? wideBits(m, scope, type, below) : unary(m, scope, type, below);
    case "cast":
      if (type === "i32" && has(m, "f32") && m.random.chance(0.5))
        return op("bitsOfFloat", "i32", [op("convert", "f32", [m.make(scope, "i32", below)])]);
      if (type === "i32" && has(m, "u32")) return op("castSigned", "i32", [m.make(scope, "u32", below)]);
      return converted(m, scope, type, below);
    case "convert":
      return converted(m, scope, type, below);
  }
}
