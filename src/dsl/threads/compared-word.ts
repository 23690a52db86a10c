import { bitsOf, isFloat, type ScalarType, type Value } from "../../ir/index.ts";
import { openConstant } from "../numbers/constant.ts";
import { describe } from "../numbers/describe.ts";
import { isLiteral } from "../numbers/literals.ts";
import { isOpen } from "../numbers/open-types.ts";
import { emitOne } from "../numbers/operands.ts";
import { usable } from "../numbers/unusable.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";

/** The bits of a value as the lanes of a warp compare them: of what is narrower than 32 bits, as a word. `called`: the author's call. W2010. */
export function comparedWord(x: unknown, called: string): Value {
  usable(x);
  if (isLiteral(x)) return comparedBits(openConstant(x));
  if (isStagedScalar(x)) return comparedBits(x.value);
  const wanted = "a number or a truth value";
  return failHere("W2010", {
    what: `the value of \`${called}\``,
    wanted,
    got: describe(x),
    fix: "compare its numbers one by one",
  });
}

function comparedBits(value: Value): Value {
  const type = value.type as ScalarType;
  if (isOpen(value) || bitsOf(type) >= 32) return value;
  const bits = isFloat(type) ? emitOne("bitcast", { a: value }, {}, [bitsOf(type) === 16 ? "u16" : "u8"]) : value;
  return emitOne("convert", { a: bits }, {}, ["u32"]);
}
