import type { Value } from "../../ir/index.ts";
import { constant } from "../numbers/constant.ts";
import { emitOne } from "../numbers/operands.ts";
import { add, both, choose, convert, either, mul, negate, number, recast, shiftLeft, shiftRight, sub, test } from "./values.ts";

/** Bits of 2/π after the point, 32 to a word. */
const twoOverPi = [0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab] as const;

/** Angles from here on are reduced with the bits of 2/π that count for them. */
export const leastHuge = 2 ** 39;

/** An angle as `quarters · π/2 + rest`; of `quarters`, an i32, the lowest two bits count. */
export interface Reduced {
  readonly rest: Value;
  readonly quarters: Value;
}

/** The words of 2/π from number `index` (0 to 3) on. */
function wordsFrom(index: Value): readonly Value[] {
  const word = (i: number): Value => constant(twoOverPi[i] ?? 0, "u32");
  const [first, second, third] = [test(index, "eq", 0), test(index, "eq", 1), test(index, "eq", 2)];
  return [0, 1, 2, 3].map((i) => choose(first, word(i), choose(second, word(i + 1), choose(third, word(i + 2), word(i + 3)))));
}

/** 96 bits of 2/π from bit `from` (14 to 102) on: 64 and 32 of them as u64s. */
function window(from: Value): readonly [Value, Value] {
  const [a, b, c, d] = wordsFrom(shiftRight(from, 5));
  if (!a || !b || !c || !d) throw new Error("four words");
  const funnel = (high: Value, low: Value): Value => convert(emitOne("shf", { low, high, by: from }, { direction: "l" }), "u64");
  return [either(shiftLeft(funnel(a, b), 32), funnel(b, c)), funnel(c, d)];
}

/**
 * The reduction of M. Payne and R. Hanek (SIGNUM Newsletter 18, 1983) of a finite f32 from 2^39 on: x = m · 2^e with a whole m
 * of 24 bits, so bits of 2/π before 2^(1-e) give multiples of 2π only, and the next 96 leave an error below 2^-60.
 */
export function reduceHuge(x: Value): Reduced {
  const bits = recast(x, "i32");
  const biased = both(shiftRight(bits, 23), constant(255, "i32"));
  const m = convert(either(both(bits, constant(0x7fffff, "i32")), constant(0x800000, "i32")), "u64");
  // e = biased - 150; the window starts at bit e - 2, counted from 0 after the point.
  const [high, low] = window(sub(biased, constant(152, "i32")));
  // The turn as a fraction of 2^64: two bits of quarters, then 62 of the fraction of one.
  const turn = recast(add(mul(m, high), shiftRight(mul(m, low), 32)), "i64");
  const fraction = shiftLeft(turn, 2);
  const up = test(fraction, "lt", 0n);
  const floor = convert(recast(shiftRight(recast(turn, "u64"), 62), "i64"), "i32");
  const quarters = choose(up, add(floor, constant(1, "i32")), floor);
  const rest = mul(convert(fraction, "f64"), constant((Math.PI / 2) * 2 ** -64, "f64"));
  const negative = test(x, "lt", number(0, x));
  return { rest: choose(negative, negate(rest), rest), quarters: choose(negative, negate(quarters), quarters) };
}
