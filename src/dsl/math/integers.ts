import type { Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { overTiles } from "../numbers/elementwise.ts";
import { checked } from "../numbers/exact.ts";
import { divideIntegers, wholeValue } from "../numbers/integers.ts";
import { literalText } from "../numbers/names.ts";
import { emitOne, meet, wrap } from "../numbers/operands.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { own, ownNamespace } from "../trace/staged.ts";
import { checkStatic, mathOperand, mulHigh, recast } from "./values.ts";

/** A 32-bit integer of either sign, static or staged, as an i32. */
function word(x: unknown, name: string): Value {
  const given = mathOperand(x, name);
  if (isStagedScalar(given)) return recast(wholeValue(given, name), "i32");
  const fits = typeof given === "number" && Number.isInteger(given) && given >= -(2 ** 31) && given < 2 ** 32;
  return fits ? constant(given | 0, "i32") : failHere("W2011", { op: name, what: `\`${literalText(given)}\`` });
}

/** `Math.imul`: the low 32 bits of the product, as an i32. Exact. */
export const imul = (a: unknown, b: unknown): unknown =>
  wrap(emitOne("mul", { a: word(a, "Math.imul"), b: word(b, "Math.imul") }));

/** `Math.clz32`: zeros before the first bit that is set, 32 for 0. PTX ISA 9.7.1.16. */
export const clz32 = (x: unknown): unknown => wrap(emitOne("clz", { a: word(x, "Math.clz32") }));

function countBits(x: number): number {
  let count = 0;
  for (let rest = x >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function reverseBits(x: number): number {
  let result = 0;
  for (let i = 0; i < 32; i++) result |= ((x >>> i) & 1) << (31 - i);
  return result >>> 0;
}

function shiftPair(low: number, high: number, by: number): number {
  const n = by & 31;
  return (n === 0 ? low : (low >>> n) | (high << (32 - n))) >>> 0;
}

/** A static operand, as a number at least: JavaScript takes its low 32 bits. */
function static32(x: number, name: string): number {
  checkStatic([x], name);
  return x;
}

function popcount(x: number): number {
  return isStagedScalar(x) ? scalar(emitOne("popc", { a: word(x, "bits.popcount") })) : countBits(static32(x, "bits.popcount"));
}
function clz(x: number): number {
  return isStagedScalar(x) ? scalar(emitOne("clz", { a: word(x, "bits.clz") })) : Math.clz32(static32(x, "bits.clz"));
}
function reverse(x: number): number {
  return isStagedScalar(x)
    ? scalar(emitOne("brev", { a: recast(word(x, "bits.reverse"), "u32") }))
    : reverseBits(static32(x, "bits.reverse"));
}
function funnelShift(low: number, high: number, by: number): number {
  const name = "bits.funnelShift";
  if (![low, high, by].some(isStagedScalar)) {
    checkStatic([low, high, by], name);
    return shiftPair(low, high, by);
  }
  const shifted = emitOne(
    "shf",
    { low: recast(word(low, name), "u32"), high: recast(word(high, name), "u32"), by: word(by, name) },
    { direction: "r" },
  );
  return scalar(shifted);
}

function mulhi(a: number, b: number): number {
  const name = "bits.mulhi";
  if (!isStagedScalar(a) && !isStagedScalar(b)) {
    checkStatic([a, b], name);
    return Number((BigInt(a | 0) * BigInt(b | 0)) >> 32n);
  }
  for (const x of [a, b]) if (isStagedScalar(x)) wholeValue(x, name);
  const [x, y] = meet(mathOperand(a, name), mathOperand(b, name), name);
  return scalar(mulHigh(x, y));
}

/**
 * Bits of 32-bit integers of either sign (narrower ones widen first). `popcount`: how many are set; `clz`: zeros before the
 * first one set, 32 for 0; `reverse`: in the other order; `funnelShift`: the low 32 bits of `high:low >> (by & 31)`; `mulhi`: the high half of
 * a product. PTX ISA 9.7.1.3, 9.7.1.15, 9.7.1.16, 9.7.1.19, 9.7.8.7.
 */
export const bits = ownNamespace({
  /** How many bits are set: 0 to 32. PTX `popc.b32`; CUDA `__popc`. W2011. */
  popcount: own(overTiles("bits.popcount", popcount)),
  /** Zeros before the first bit that is set, 32 for 0. PTX `clz.b32`; CUDA `__clz`. W2011. */
  clz: own(overTiles("bits.clz", clz)),
  /** The bits in the other order, as a u32. PTX `brev.b32`; CUDA `__brev`. W2011. */
  reverse: own(overTiles("bits.reverse", reverse)),
  /** The low 32 bits of `high:low >> (by & 31)`, as a u32. PTX `shf.r.wrap.b32`; CUDA `__funnelshift_r`. W2011. */
  funnelShift: own(overTiles("bits.funnelShift", funnelShift)),
  /**
   * The high 32 bits of the product of two i32, as an i32, or of two u32, as a u32; a static number takes the type of the other one, two
   * static ones are i32. PTX `mul.hi`; CUDA `__mulhi`, `__umulhi`. W2003, W2011.
   */
  mulhi: own(overTiles("bits.mulhi", mulhi)),
});

/**
 * `Math.ceil(a / b)` of integers, static or staged; signed ones round up too. Where it is no integer of the type, `| 0` of it, and `debug` traps.
 *
 * @example
 * ```ts
 * console.log(cdiv(1000, 128)); // 8
 * ```
 */
export const cdiv = own((a: number, b: number): number => {
  if (!isStagedScalar(a) && !isStagedScalar(b)) {
    checkStatic([a, b], "cdiv");
    return Math.ceil(a / b);
  }
  for (const x of [a, b]) if (isStagedScalar(x)) wholeValue(x, "cdiv");
  const [x, y] = meet(mathOperand(a, "cdiv"), mathOperand(b, "cdiv"), "cdiv");
  return scalar(checked(divideIntegers(x, y, "ceil"), "/", { a: x, b: y }));
});
