import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { integerRange, type Literal, opNames, opSpec, type ScalarType } from "../../../src/ir/index.ts";
import { binary } from "../../../src/passes/evaluate/number.ts";
import { ofProperty } from "../../support/amount.ts";

const types: readonly ScalarType[] = ["i32", "u32", "i64", "u64", "i16", "u8", "pred", "f32", "f64"];

const literals = (type: ScalarType): fc.Arbitrary<Literal> => {
  if (type === "pred") return fc.boolean();
  if (type === "f32" || type === "f64") return fc.constantFrom(0, -0, 1, -2.5, 3, 2 ** 100, Number.POSITIVE_INFINITY);
  const [least, most] = integerRange(type);
  const wide = type === "i64" || type === "u64";
  return fc.bigInt({ min: least, max: most }).map((n) => (wide ? n : Number(n)));
};
const pairs = fc.constantFrom(...types).chain((type) => fc.tuple(fc.constant(type), literals(type), literals(type)));

/** Ops of two numbers that can be computed here. */
const computed = opNames.filter(
  (name) => binary(name, "i32", 7, 3) !== undefined && Object.keys(opSpec(name).operands).join() === "a,b",
);

/** Does that hold of all numbers? */
function holds(law: (type: ScalarType, a: Literal, b: Literal) => boolean): boolean {
  return !fc.check(
    fc.property(pairs, (pair) => law(...pair)),
    ofProperty(400, 400),
  ).failed;
}

describe("op traits are what the arithmetic of the op is", () => {
  test.each(computed)("%s", (name) => {
    const { commutative = false, idempotent = false } = opSpec(name);
    expect(holds((type, a, b) => Object.is(binary(name, type, a, b), binary(name, type, b, a)))).toBe(commutative);
    expect(holds((type, a) => binary(name, type, a, a) === undefined || Object.is(binary(name, type, a, a), a))).toBe(idempotent);
  });

  test("stand at no op whose arithmetic is not held against them", () => {
    const said = opNames.filter((name) => opSpec(name).commutative || opSpec(name).idempotent);
    expect(said.filter((name) => !computed.includes(name))).toEqual([]);
  });
});

test("traits name operands and attributes that the op has", () => {
  for (const name of opNames) {
    const { operands, attrs = {}, tied, references = {}, like } = opSpec(name);
    if (tied !== undefined) expect([name, tied, like]).toEqual([name, Object.keys(operands).find((o) => o === tied), tied]);
    for (const attr in references) expect([name, attr, attrs[attr]]).toEqual([name, attr, "number"]);
  }
});
