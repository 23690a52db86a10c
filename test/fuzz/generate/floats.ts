/** Random floats: every operation that is exact, on every type. */
import { type Expr, type FloatType, isFloatType, isIntType, isWideType } from "../program.ts";
import { has, type Maker, op, type Scope, text, whole } from "./maker.ts";

/** Does every number of the one have its place in the other, a wider one? */
const widens = (from: FloatType, to: FloatType): boolean =>
  ({ f16: ["f32", "f64"], bf16: ["f32", "f64"], f32: ["f64"], f64: [] as readonly string[] })[from].includes(to);

const literals = [
  "0.1",
  "1.5",
  "(-2.75)",
  "3.14159",
  "1e-3",
  "0.3333333333333333",
  "100.7",
  "(-0.5)",
  "7",
  "2",
  "(-1)",
  "0",
  "0.0009765625",
];

const literal = (m: Maker, type: FloatType): Expr => ({ kind: "literal", text: m.random.pick(literals), type, sure: false });

/** What stands beside a sure value of the type. */
export function besideFloat(m: Maker, scope: Scope, type: FloatType, depth: number): Expr {
  const kind = m.random.weighted({ value: 5, literal: 3, narrower: 2, open: 1 });
  if (kind === "literal") return literal(m, type);
  const narrower = m.types.filter((t) => isFloatType(t) && widens(t, type));
  if (kind === "narrower" && narrower.length > 0) return m.make(scope, m.random.pick(narrower), depth);
  const open = scope.variables.filter((v) => v.type === type && !v.sure);
  if (kind === "open" && open.length > 0) return text(m.random.pick(open).name, type, false);
  return m.make(scope, type, depth);
}

function converted(m: Maker, scope: Scope, type: FloatType, depth: number): Expr {
  const from = m.random.pick(m.types.filter((t) => t !== type));
  if (type === "f32" && m.random.chance(0.2) && !isWideType(from) && from !== "bool")
    return op("fround", "f32", [m.make(scope, from, depth)]);
  return op("convert", type, [m.make(scope, from, depth)]);
}

const unaries = ["neg", "abs", "sqrt", "floor", "ceil", "trunc", "round", "sign", "plus"] as const;

export function float(m: Maker, scope: Scope, type: FloatType, depth: number): Expr {
  const kinds = {
    add: 4,
    sub: 4,
    mul: 4,
    div: 3,
    rem: 1,
    unary: 5,
    min: 2,
    max: 2,
    fma: 2,
    convert: 3,
    bits: 1,
    power: 1,
  } as const;
  const kind = m.random.weighted(kinds);
  const below = depth - 1;
  const make = (): Expr => m.make(scope, type, below);
  switch (kind) {
    case "unary":
      return op(m.random.pick(unaries), type, [make()]);
    case "fma":
      return op("fma", type, [make(), besideFloat(m, scope, type, below), besideFloat(m, scope, type, below)]);
    case "convert":
      return converted(m, scope, type, below);
    case "power":
      // The square of a float of at most 24 bits is exact in a double: one rounding.
      return type === "f64" ? op("mul", type, [make(), make()]) : op("power", type, [make()], undefined, 2);
    case "bits": {
      if (type !== "f32" || !has(m, "i32")) return op("neg", type, [make()]);
      // All but the lowest bit of the exponent: neither an infinity nor a NaN.
      const finite = op("and", "i32", [m.make(scope, "i32", below), whole("i32", m.random.pick([0x7f7fffff, 0x3fffffff]))]);
      return op("floatOfBits", type, [finite]);
    }
    default: {
      const [a, b] = [make(), besideFloat(m, scope, type, below)];
      return op(kind, type, m.random.chance(0.3) ? [b, a] : [a, b]);
    }
  }
}

/** Numbers that every float type has, so that a variable may begin as a JavaScript number. */
export const exactFloat = (m: Maker): string => m.random.pick(["0", "1", "0.5", "-1.5", "2", "-0.25", "3", "0.125"]);

export const isNumber = (e: Expr): boolean => isFloatType(e.type) || isIntType(e.type);
