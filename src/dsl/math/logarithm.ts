import type { Value } from "../../ir/index.ts";
import { lnDouble, log1pDouble, log2Double, log10Double } from "./double/logarithm.ts";
import { inTwoParts } from "./exponential.ts";
import { floatFunction } from "./float-function.ts";
import {
  add,
  both,
  choose,
  convert,
  fused,
  magnitude,
  mul,
  number,
  polynomial,
  recast,
  shiftRight,
  sub,
  test,
} from "./values.ts";

/** (ln(1 + f) - f) / f² for |f| <= 1/3: the logarithm is within 2^-27. */
const lnCoefficients = [
  -0.5, 0.3333321511745453, -0.2499980479478836, 0.20010435581207275, -0.16680224239826202, 0.14005526900291443,
  -0.12187426537275314, 0.1398576945066452, -0.12879228591918945,
];
/** The same of the logarithm to base 2, f from √½ - 1 to √2 - 1, within 2^-27. */
const log2Coefficients = [
  -0.7213473320007324, 0.4808982014656067, -0.3606986701488495, 0.28857141733169556, -0.2395673394203186, 0.20448656380176544,
  -0.19139106571674347, 0.18708844482898712, -0.11025536060333252,
];
/** Those of ln times log10 e. */
const log10Coefficients = lnCoefficients.map((c) => Math.fround(c * Math.LOG10E));

/** The same as the first one for f from -1/4 to 1/2. */
const sumCoefficients = [
  -0.5, 0.3333345055580139, -0.25000107288360596, 0.1999083161354065, -0.1664692461490631, 0.14478003978729248,
  -0.131642147898674, 0.10471309721469879, -0.045135438442230225,
];

const log2OfE = inTwoParts(Math.LOG2E);
const log10OfE = inTwoParts(Math.LOG10E);

/** The bits of an exponent, and of the f32 2/3, √½ and 3/4: numbers from there to the double have the exponent 0 here. */
const exponentBits = -(2 ** 23);
const twoThirdsBits = 0x3f2aaaab;
export const rootHalfBits = 0x3f3504f3;
const threeQuartersBits = 0x3f400000;

/** log10 2 as a number whose products with exponents are exact, and what it lacks. */
const log10Of2 = Math.round(Math.log10(2) * 2 ** 16) / 2 ** 16;
const log10Of2Rest = Math.log10(2) - log10Of2;

/** The exponent of the number with these bits, as it stands in them. */
const exponentOf = (bits: Value, from: number): Value => both(sub(bits, from), exponentBits);

/** x = 2^e (1 + f). */
export interface Binary {
  readonly e: Value;
  readonly f: Value;
}

/** Of a positive finite x; `from`: the bits of the least number whose exponent is 0. */
export function binaryOf(x: Value, from = twoThirdsBits): Binary {
  const small = test(x, "lt", 2 ** -126);
  const bits = recast(choose(small, mul(x, 2 ** 23), x), "i32");
  const exponent = exponentOf(bits, from);
  const e = fused(convert(exponent, "f32"), 2 ** -23, choose(small, -23, number(0, x)));
  return { e, f: sub(recast(sub(bits, exponent), "f32"), 1) };
}

/** 1 + x for x > -1: f keeps what a sum would round away, and is exact where ln(1 + x) is small. */
export function binaryOfSum(x: Value): Binary {
  // A sum of 1.5 has the exponent 0 like one of 3/4: it may be that of the f32 before 1/2.
  const isNegative = recast(shiftRight(recast(x, "u32"), 31), "i32");
  const exponent = exponentOf(add(recast(add(x, 1), "i32"), isNegative), threeQuartersBits + 1);
  // f = x · 2^-e + (2^-e - 1); four times 2^-e, as 2^-128 is no normal number.
  const scaled = recast(sub(recast(x, "i32"), exponent), "f32");
  const power = recast(sub(number(0x40800000, exponent), exponent), "f32");
  return { e: mul(convert(exponent, "f32"), 2 ** -23), f: add(fused(power, 0.25, -1), scaled) };
}

/** -Infinity of 0, Infinity of itself, NaN of NaN and what is less than 0; else `inside`. */
function withLimits(x: Value, inside: Value): Value {
  const outside = test(recast(x, "u32"), "ge", 0x7f800000);
  const limited = choose(outside, fused(x, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY), inside);
  return choose(test(x, "eq", 0), Number.NEGATIVE_INFINITY, limited);
}

/** e ln 2 + ln(1 + f). */
const lnOf = ({ e, f }: Binary): Value => fused(e, Math.LN2, fused(mul(f, f), polynomial(f, lnCoefficients), f));

/** The same of what `binaryOfSum` gives. */
export const lnOfSum = ({ e, f }: Binary): Value => fused(e, Math.LN2, fused(mul(f, f), polynomial(f, sumCoefficients), f));

function log2Single(x: Value): Value {
  const { e, f } = binaryOf(x, rootHalfBits);
  const rest = fused(mul(f, f), polynomial(f, log2Coefficients), mul(f, log2OfE[1]));
  return withLimits(x, add(fused(f, log2OfE[0], rest), e));
}

function log10Single(x: Value): Value {
  const { e, f } = binaryOf(x);
  const small = fused(e, log10Of2Rest, mul(f, log10OfE[1]));
  const rest = fused(mul(f, f), polynomial(f, log10Coefficients), small);
  return withLimits(x, fused(e, log10Of2, fused(f, log10OfE[0], rest)));
}

/** ln(1 + x) for a finite x > -1; x itself where its square does not count. */
export const log1pInside = (x: Value): Value => choose(test(magnitude(x), "lt", 2 ** -25), x, lnOfSum(binaryOfSum(x)));

/** `Math.log`: within 1 ulp on f32, 0.51 ulp on f16 and bf16, 1 ulp on f64. */
export const log = floatFunction({
  name: "Math.log",
  single: (x) => withLimits(x, lnOf(binaryOf(x))),
  double: (x) => lnDouble(x),
});
/** `Math.log1p`: within 1 ulp on f32, 0.51 ulp on f16 and bf16, 3 ulp on f64; -0 of -0. */
export const log1p = floatFunction({
  name: "Math.log1p",
  single: (x) => withLimits(add(x, 1), log1pInside(x)),
  double: log1pDouble,
});
/** `Math.log2`: within 1 ulp on f32, 0.51 ulp on f16 and bf16, 2 ulp on f64; exact for powers of two. */
export const log2 = floatFunction({ name: "Math.log2", single: log2Single, double: log2Double });
/** `Math.log10`: within 2 ulp on f32, 0.51 ulp on f16 and bf16, 2 ulp on f64. */
export const log10 = floatFunction({ name: "Math.log10", single: log10Single, double: log10Double });
