import type { ScalarType, Value } from "../../ir/index.ts";
import { checked } from "../numbers/exact.ts";
import { emitLike, meet, promoted, wrap } from "../numbers/operands.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { nearRoot } from "./quotients.ts";
import {
  add,
  both,
  choose,
  convert,
  div,
  either,
  floats,
  fused,
  greatest,
  least,
  magnitude,
  mathOperand,
  mul,
  number,
  recast,
  root,
  sub,
  test,
} from "./values.ts";

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
  let found: StagedScalar | undefined;
  for (const next of rest) {
    const [a, b] = meet(found ?? (first as StagedScalar), next, `Math.${name}`);
    found = wrap(emitLike(name, { a, b }, a));
  }
  return found ?? first;
}

/** `Math.min` of any number of arguments: NaN wins, -0 is less than 0. On integers and floats. Exact. PTX ISA 9.7.3.11. */
export const min = (...args: unknown[]): unknown => extreme("min", args);
/** `Math.max` of any number of arguments: NaN wins, 0 is greater than -0. On integers and floats. Exact. PTX ISA 9.7.3.12. */
export const max = (...args: unknown[]): unknown => extreme("max", args);

/** √(x² + …) scaled by a power of two near the greatest, so that no square overflows or is lost. */
function hypotSingle(sizes: readonly Value[]): Value {
  const most = sizes.reduce(greatest);
  const exponent = clampInteger(both(recast(most, "i32"), 0x7f800000), 24 * 2 ** 23, 230 * 2 ** 23);
  const scale = recast(sub(number(254 * 2 ** 23, exponent), exponent), "f32");
  const [first, ...others] = sizes.map((x) => mul(x, scale));
  if (!first) throw new Error("Math.hypot without an argument");
  const squares = others.reduce((sum, x) => fused(x, x, sum), mul(first, first));
  return mul(nearRoot(squares), recast(exponent, "f32"));
}

const clampInteger = (x: Value, low: number, high: number): Value => least(greatest(x, low), high);

/** The same in f64, scaled by the greatest. */
function hypotDouble(sizes: readonly Value[]): Value {
  const most = sizes.reduce((a, b) => choose(test(b, "gt", a), b, a));
  const unit = choose(test(most, "eq", 0), 1, most);
  return mul(
    unit,
    root(
      sizes
        .map((x) => div(x, unit))
        .map((x) => mul(x, x))
        .reduce(add),
    ),
  );
}

/**
 * `Math.hypot` of any number of arguments: Infinity wins over NaN, nothing overflows on the way. For two arguments within 3 ulp on f32
 * and f64, 0.51 ulp on f16 and bf16.
 */
export function hypot(...args: unknown[]): unknown {
  const given = floats(args, "Math.hypot");
  const [first] = given;
  if (!first) return 0;
  const type = first.type === "f64" ? "f64" : "f32";
  const sizes = given.map((x) => magnitude(convert(x, type)));
  const infinite = sizes.map((x) => test(x, "eq", Number.POSITIVE_INFINITY)).reduce(either);
  const size = type === "f64" ? hypotDouble(sizes) : hypotSingle(sizes);
  return wrap(convert(choose(infinite, Number.POSITIVE_INFINITY, size), first.type as ScalarType));
}
