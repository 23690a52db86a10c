import type { ScalarType, Value } from "../../ir/index.ts";
import { checked } from "../numbers/exact.ts";
import { emitLike, meet, promoted, wrap } from "../numbers/operands.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { add, choose, convert, div, either, floats, magnitude, mathOperand, mul, number, root, test } from "./values.ts";

/**
 * `Math.abs`: on every type but fp8; of an integer in its own type: of -2³¹ it is -2³¹, where JavaScript has 2³¹, and `debug` traps. Exact.
 */
export function abs(x: unknown): unknown {
  const given = mathOperand(x, "Math.abs");
  if (!isStagedScalar(given)) return given;
  const value = promoted(given.value);
  return wrap(value.type === "u32" ? value : checked(emitLike("abs", { a: value }, value), "Math.abs"));
}

function extreme(name: "min" | "max", args: readonly unknown[]): unknown {
  const operands = args.map((x) => mathOperand(x, `Math.${name}`));
  const literals = operands.filter((x): x is number => typeof x === "number");
  const staged: StagedScalar[] = operands.filter(isStagedScalar);
  const [first, ...rest] = literals.length > 0 ? [...staged, Math[name](...literals)] : staged;
  let least: StagedScalar | undefined;
  for (const next of rest) {
    const [a, b] = meet(least ?? (first as StagedScalar), next, `Math.${name}`);
    least = wrap(emitLike(name, { a, b }, a));
  }
  return least ?? first;
}

/** `Math.min` of any number of arguments: NaN wins, -0 is less than 0. On integers and floats. Exact. PTX ISA 9.7.3.11. */
export const min = (...args: unknown[]): unknown => extreme("min", args);
/** `Math.max` of any number of arguments: NaN wins, 0 is greater than -0. On integers and floats. Exact. PTX ISA 9.7.3.12. */
export const max = (...args: unknown[]): unknown => extreme("max", args);

const sum = (terms: readonly Value[]): Value => terms.reduce(add);

/** √(x² + …) in f64 of f32 arguments, whose squares f64 holds exactly: nothing overflows. */
function exactHypot(values: readonly Value[]): Value {
  const wide = values.map((x) => convert(x, "f64"));
  return root(sum(wide.map((x) => mul(x, x))));
}

/** The same in f64, scaled by the greatest so that nothing overflows. */
function scaledHypot(values: readonly Value[], like: Value): Value {
  const sizes = values.map(magnitude);
  const greatest = sizes.reduce((a, b) => choose(test(b, "gt", a), b, a));
  const unit = choose(test(greatest, "eq", 0), number(1, like), greatest);
  return mul(unit, root(sum(sizes.map((x) => div(x, unit)).map((x) => mul(x, x)))));
}

/**
 * `Math.hypot` of any number of arguments: Infinity wins over NaN, nothing overflows on the way. Within 0.51 ulp on f32; on
 * f64 within 3 ulp for two arguments.
 */
export function hypot(...args: unknown[]): unknown {
  const given = floats(args, "Math.hypot");
  const [first] = given;
  if (!first) return 0;
  const type = first.type === "f64" ? "f64" : "f32";
  const values = given.map((x) => convert(x, type));
  const like = values[0] ?? first;
  const infinite = values.map((x) => test(magnitude(x), "eq", Number.POSITIVE_INFINITY)).reduce(either);
  const size = type === "f64" ? scaledHypot(values, like) : exactHypot(values);
  const result = choose(infinite, number(Number.POSITIVE_INFINITY, size), size);
  return wrap(convert(result, first.type as ScalarType));
}
