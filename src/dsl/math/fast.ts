import type { ScalarType, Value } from "../../ir/index.ts";
import { overTiles } from "../numbers/elementwise.ts";
import { aType } from "../numbers/names.ts";
import { emitOne } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { own, ownNamespace } from "../trace/staged.ts";
import { type Approximation, approximate, checkStatic, convert, floats, mul } from "./values.ts";

/** Types in which the hardware has the approximation itself; the others go through f32. */
const native = new Set(["ex2 f16", "tanh f16", "tanh bf16"]);

function inF32(x: Value, run: (x: Value) => Value): Value {
  return convert(run(convert(x, "f32")), x.type as ScalarType);
}

function approximation(name: string, fn: Approximation, exact: (x: number) => number): (x: number) => number {
  const approximated = (x: number): number => {
    if (!isStagedScalar(x)) {
      checkStatic([x], name);
      return exact(x);
    }
    const value = given([x], name)[0];
    if (!value) throw new Error(`${name} without an argument`);
    return scalar(native.has(`${fn} ${String(value.type)}`) ? approximate(fn, value) : inF32(value, (a) => approximate(fn, a)));
  };
  return own(overTiles(name, approximated));
}

function given(args: readonly unknown[], name: string): readonly Value[] {
  const values = floats(args, name);
  const wide = values.find((x) => x.type === "f64");
  if (wide) failHere("W2702", { name, what: aType("f64") });
  return values;
}

const exp = own(
  overTiles("fast.exp", (x: number): number => {
    if (!isStagedScalar(x)) checkStatic([x], "fast.exp");
    const [value] = isStagedScalar(x) ? given([x], "fast.exp") : [];
    return value ? scalar(inF32(value, (a) => approximate("ex2", mul(a, Math.LOG2E)))) : Math.exp(x);
  }),
);

const divide = own(
  overTiles("fast.divide", (a: number, b: number): number => {
    if (!isStagedScalar(a) && !isStagedScalar(b)) {
      checkStatic([a, b], "fast.divide");
      return a / b;
    }
    const [x, y] = given([a, b], "fast.divide");
    if (!x || !y) throw new Error("fast.divide without operands");
    return scalar(inF32(x, (wide) => emitOne("div.approx", { a: wide, b: convert(y, "f32") })));
  }),
);

/**
 * Approximations of the hardware, on f32; f16 and bf16 go through f32, where the hardware has no form of their own. Of static
 * numbers they are exact. Bounds as the PTX ISA has them, and met on an H200 but where said:
 *
 * | function | error |
 * |---|---|
 * | exp | 2 ulp + 1.173 · abs(x) ulp: `exp2(x · log2 e)` with the product rounded (9.7.3.21) |
 * | exp2 | 2 ulp on f32 (9.7.3.21; measured 2.06, and 2.39 where the result is subnormal); 2^-9.9 relative on f16 (9.7.4.10) |
 * | log2 | 2^-22 absolute in [0.5, 2], else 2^-22 relative (9.7.3.20) |
 * | rcp | 1 ulp (9.7.3.13) |
 * | rsqrt | 2^-22.9 relative (9.7.3) |
 * | tanh | 2^-11 relative on f32 (9.7.3.22); 2^-10.987 absolute on f16, 2^-8 on bf16 (9.7.4.9) |
 * | sin, cos | 2^-20.5 absolute in [-2π, 2π] (cos measured at 2^-20.4), 2^-14.7 in [-100π, 100π], no bound beyond (9.7.3.18, 9.7.3.19) |
 * | divide | 2 ulp where abs(b) is in [2^-126, 2^126]; 0 for a greater one, NaN where a is infinite too (9.7.3.8) |
 *
 * Errors: W2701 for integers, W2702 for f64.
 */
export const fast = ownNamespace({
  /** e^x, within 2 ulp + 1.173 · abs(x) ulp. PTX `ex2.approx.f32`; CUDA `__expf`. W2701, W2702. */
  exp,
  /** 2^x, within 2 ulp on f32 and 2^-9.9 (relative) on f16. PTX `ex2.approx`. W2701, W2702. */
  exp2: approximation("fast.exp2", "ex2", (x) => 2 ** x),
  /** The logarithm to base 2, within 2^-22: absolute for x from 0.5 to 2, else relative. PTX `lg2.approx.f32`; CUDA `__log2f`. W2701, W2702. */
  log2: approximation("fast.log2", "lg2", Math.log2),
  /** 1 / x, within 1 ulp. PTX `rcp.approx.f32`. W2701, W2702. */
  rcp: approximation("fast.rcp", "rcp", (x) => 1 / x),
  /** 1 / √x, within 2^-22.9 (relative). PTX `rsqrt.approx.f32`; CUDA `rsqrtf`. W2701, W2702. */
  rsqrt: approximation("fast.rsqrt", "rsqrt", (x) => 1 / Math.sqrt(x)),
  /** The hyperbolic tangent, within 2^-11 (relative) on f32, 2^-10.987 (absolute) on f16 and 2^-8 on bf16. PTX `tanh.approx`; CUDA `__tanhf`. W2701, W2702. */
  tanh: approximation("fast.tanh", "tanh", Math.tanh),
  /** The sine of x in radians, within 2^-20.5 (absolute) in [-2π, 2π], worse beyond. PTX `sin.approx.f32`; CUDA `__sinf`. W2701, W2702. */
  sin: approximation("fast.sin", "sin", Math.sin),
  /** The cosine of x in radians, within 2^-20.4 (absolute) in [-2π, 2π], worse beyond. PTX `cos.approx.f32`; CUDA `__cosf`. W2701, W2702. */
  cos: approximation("fast.cos", "cos", Math.cos),
  /** a / b, within 2 ulp where abs(b) is in [2^-126, 2^126]. PTX `div.approx.f32`; CUDA `__fdividef`. W2701, W2702. */
  divide,
});
