import { fail } from "../errors.ts";
import { accept, type Cursor, expectMark, failExpected, kindAt, nested, P, spansAt, textAt } from "./cursor.ts";
import { NUMBER, WORD } from "./lex.ts";
import type { FloatImmediate, Immediate } from "./tree.ts";

const view = new DataView(new ArrayBuffer(8));

function floatOfBits(type: "f32" | "f64", digits: string): FloatImmediate {
  const bits = BigInt(`0x${digits}`);
  if (type === "f32") view.setUint32(0, Number(bits));
  else view.setBigUint64(0, bits);
  return { kind: "float", type, bits, value: type === "f32" ? view.getFloat32(0) : view.getFloat64(0) };
}
function float64(value: number): FloatImmediate {
  view.setFloat64(0, value);
  return { kind: "float", type: "f64", bits: view.getBigUint64(0), value };
}

const octal = /^0[0-7]+$/;
const wrongOctal = /^0\d/;

const small: readonly Immediate[] = Array.from({ length: 1024 }, (_, n) => ({ kind: "int", value: BigInt(n) }));
const zero = 48;

/** A decimal number below 1024, without making a string of it; most are. */
function smallLiteral({ tokens: { text, starts, ends } }: Cursor, index: number): Immediate | undefined {
  const [start, end] = [starts[index] ?? 0, ends[index] ?? 0];
  if (end - start > 1 && text.charCodeAt(start) === zero) return undefined;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - zero;
    if (digit < 0 || digit > 9) return undefined;
    value = 10 * value + digit;
    if (value >= small.length) return undefined;
  }
  return small[value];
}

/** Floats met before: modules use the same ones again and again. */
const floats = new Map<string, Immediate>();
const mostFloats = 4096;

function literal(c: Cursor, index: number): Immediate {
  const found = smallLiteral(c, index);
  if (found) return found;
  const text = textAt(c, index);
  const known = floats.get(text);
  if (known) return known;
  const made = otherLiteral(c, index, text);
  if (made.kind === "int") return made;
  if (floats.size === mostFloats) floats.clear();
  floats.set(text, made);
  return made;
}

function otherLiteral(c: Cursor, index: number, text: string): Immediate {
  const mark = text.charCodeAt(1) | 32;
  if (mark === 102) return floatOfBits("f32", text.slice(2));
  if (mark === 100) return floatOfBits("f64", text.slice(2));
  const digits = text.endsWith("U") ? text.slice(0, -1) : text;
  if (mark === 120 || mark === 98) return { kind: "int", value: BigInt(digits) };
  if (/[.eE]/.test(digits)) return float64(Number(digits));
  if (octal.test(digits)) return { kind: "int", value: BigInt(`0o${digits}`) };
  if (wrongOctal.test(digits)) return fail("W9800", { expected: "an octal number", found: `'${text}'` }, spansAt(c, index));
  return { kind: "int", value: BigInt(digits.length < 16 ? Number(digits) : digits) };
}

/** Constant expressions (PTX ISA 4.6): binary operators by what binds tighter. */
const precedence: Readonly<Record<string, number>> = {
  "*": 10,
  "/": 10,
  "%": 10,
  "+": 9,
  "-": 9,
  "<<": 8,
  ">>": 8,
  "&": 5,
  "^": 4,
  "|": 3,
};
const apply: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "<<": (a, b) => BigInt.asIntN(64, a << (b & 63n)),
  ">>": (a, b) => a >> (b & 63n),
  "&": (a, b) => a & b,
  "^": (a, b) => a ^ b,
  "|": (a, b) => a | b,
};

const operators: readonly (string | undefined)[] = Array.from({ length: 256 }, (_, code) => {
  const one = String.fromCharCode(code);
  return one in precedence ? one : undefined;
});

function operatorAt(c: Cursor, ahead = 0): string | undefined {
  const kind = kindAt(c, ahead);
  if (kind === P.less || kind === P.greater) return kindAt(c, ahead + 1) === kind ? (kind === P.less ? "<<" : ">>") : undefined;
  return operators[kind];
}

const unary = (c: Cursor): Immediate => nested(c, () => signed(c));

function signed(c: Cursor): Immediate {
  const at = c.at;
  if (accept(c, P.minus)) {
    const x = unary(c);
    return x.kind === "int" ? { kind: "int", value: -x.value } : negated(x);
  }
  if (accept(c, P.tilde)) {
    const x = unary(c);
    return x.kind === "int" ? { kind: "int", value: ~x.value } : failExpected(c, "an integer", at + 1);
  }
  if (accept(c, P.plus)) return unary(c);
  if (accept(c, P.parenOpen)) {
    const x = constant(c);
    expectMark(c, P.parenClose);
    return x;
  }
  if (kindAt(c) === NUMBER) return literal(c, c.at++);
  if (kindAt(c) === WORD && textAt(c, c.at) === "WARP_SZ") {
    c.at++;
    return { kind: "int", value: 32n };
  }
  return failExpected(c, "a number");
}

function negated(x: FloatImmediate): FloatImmediate {
  const sign = x.type === "f32" ? 0x8000_0000n : 0x8000_0000_0000_0000n;
  return { ...x, bits: x.bits ^ sign, value: -x.value };
}

function binary(c: Cursor, least: number): Immediate {
  let left = unary(c);
  for (;;) {
    const operator = operatorAt(c);
    const level = operator === undefined ? undefined : precedence[operator];
    if (operator === undefined || level === undefined || level < least) return left;
    const at = c.at;
    c.at += operator.length;
    const right = binary(c, level + 1);
    const compute = apply[operator];
    if (left.kind !== "int" || right.kind !== "int" || !compute) return failExpected(c, "integers on both sides", at);
    if ((operator === "/" || operator === "%") && right.value === 0n) return failExpected(c, "a divisor that is not 0", at + 1);
    left = { kind: "int", value: compute(left.value, right.value) };
  }
}

/** A number, or an expression of numbers. */
export function constant(c: Cursor): Immediate {
  if (kindAt(c) !== NUMBER || operatorAt(c, 1) !== undefined) return binary(c, 0);
  return literal(c, c.at++);
}

/** Does a constant begin here? */
export function beginsConstant(c: Cursor): boolean {
  const kind = kindAt(c);
  return kind === NUMBER || kind === P.minus || kind === P.tilde || kind === P.plus;
}

/** An integer constant as a number. */
export function integer(c: Cursor, what: string): number {
  const at = c.at;
  const x = constant(c);
  return x.kind === "int" ? Number(x.value) : failExpected(c, what, at);
}
