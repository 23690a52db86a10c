import { fieldsOf } from "../../base/fields.ts";
import { elementwise, isTiled } from "../numbers/elementwise.ts";
import { isStaged } from "../numbers/lift.ts";
import { operand } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { isOwnObject } from "../trace/staged.ts";
import { exp, expm1 } from "./exponential.ts";
import { abs, hypot, max, min } from "./extremes.ts";
import { acosh, asinh, atanh, cosh, sinh, tanh } from "./hyperbolic.ts";
import { clz32, imul } from "./integers.ts";
import { acos, asin, atan, atan2 } from "./inverse-trigonometry.ts";
import { log, log1p, log2, log10 } from "./logarithm.ts";
import { cbrt, pow, sqrt } from "./powers.ts";
import { ceil, floor, fround, round, sign, trunc } from "./rounding.ts";
import { cos, sin, tan } from "./trigonometry.ts";

type Impl = (...args: unknown[]) => unknown;

const staged: Readonly<Record<string, (...args: never[]) => unknown>> = {
  abs,
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  cbrt,
  ceil,
  clz32,
  cos,
  cosh,
  exp,
  expm1,
  floor,
  fround,
  hypot,
  imul,
  log,
  log10,
  log1p,
  log2,
  max,
  min,
  pow,
  round,
  sign,
  sin,
  sinh,
  sqrt,
  tan,
  tanh,
  trunc,
};

/** What each function of `Math` is on the GPU, by JavaScript's own function. */
export const mathFunctions: ReadonlyMap<unknown, Impl> = new Map(
  Object.entries(staged).map(([name, impl]) => [fieldsOf(Math)[name], impl as Impl]),
);

const nearest: Readonly<Record<string, string>> = {
  f16round: "`f16(x)`",
  sumPrecise: "a loop that adds in f64: `sum = sum + f64(x)`",
  random: "a random tensor made on the host, or a hash of the thread's number",
};

/** Names the function of `Math` and the nearest thing that works. */
export const unsupportedMath = (name: string): never =>
  failHere("W2700", {
    name,
    near: nearest[name] ?? "what the functions of Math up to ES2024 are made of: +, *, Math.exp, Math.log, Math.sqrt",
  });

/** Calls a function of `Math`: JavaScript's own on static values. */
export function callMath(f: (...args: number[]) => unknown, args: readonly unknown[]): unknown {
  if (args.length === 1 && isTiled(args[0]) && (f === Math.max || f === Math.min)) failHere("W2705", { name: f.name });
  if (args.some(isTiled)) return elementwise(args, `\`Math.${f.name}\``, (own) => callMath(f, own));
  if (!args.some((x) => isStaged(x))) {
    for (const x of args) if (isOwnObject(x)) operand(x, `Math.${f.name}`);
    // Numbers, or what JavaScript itself makes numbers of.
    return f(...(args as readonly number[]));
  }
  const impl = mathFunctions.get(f);
  if (!impl) return unsupportedMath(f.name);
  const wanted = f === Math.max || f === Math.min || f === Math.hypot ? args.length : f.length;
  if (args.length < wanted) failHere("W2704", { name: `Math.${f.name}`, wanted, got: args.length });
  // JavaScript ignores what comes after, staged or not.
  const taken = args.slice(0, wanted);
  return taken.some((x) => isStaged(x)) ? impl(...taken) : f(...(taken as readonly number[]));
}
