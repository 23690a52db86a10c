import { type Span, sourceLine, textAt } from "../../base/diag/index.ts";
import { spansHere } from "./fail-here.ts";

/** An operator as it stands in the author's text. */
export interface WrittenOperator {
  readonly op: string;
  readonly left: string;
  readonly right: string;
  /** What the result is given to, by `=` or by the operator's own assignment. */
  readonly taker: string | undefined;
}

/** Of an object of the dsl: what the author may type in place of an operator that it does not have. */
export const operatorFix: unique symbol = Symbol("warpsmith.operatorFix");
export interface HasOperatorFix {
  [operatorFix](written: WrittenOperator, other: unknown, isLeft: boolean): string | undefined;
}

export const hasOperatorFix = (x: unknown): x is HasOperatorFix => typeof x === "object" && x !== null && operatorFix in x;

/** A name without parentheses and casts; other text as it is. */
const plain = (text: string): string => /^\(*([\w$.]+(?:\[[^[\]]*\])?)(?: as [^()]+)?\)*$/.exec(text)?.[1] ?? text;

/** What the expression at a place is given to, where that stands before it on its line. */
const takerBefore = ({ file, line, column }: Span): string | undefined =>
  /([\w$]+(?:\.[\w$]+)*)\s*[-+*]?=\s*\(?$/.exec(sourceLine(file, line)?.slice(0, column - 1) ?? "")?.[1];

/** The operator that stands where the trace is; `A`, `B` and no taker where that cannot be read. */
export function writtenHere(op: string): WrittenOperator {
  const [here] = spansHere();
  const text = (here && textAt(here)) ?? "";
  const [left, right, ...more] = text.split(` ${op} `);
  if (here && left && right && more.length === 0) return { op, left: plain(left), right: plain(right), taker: takerBefore(here) };
  const [target, value, ...rest] = text.split(` ${op}= `);
  if (target && value && rest.length === 0) return { op, left: plain(target), right: plain(value), taker: plain(target) };
  return { op, left: "A", right: "B", taker: undefined };
}

/** What to type in place of `a op b`, where one of them knows. */
export function fixOfOperator(op: string, a: unknown, b: unknown): string | undefined {
  if (hasOperatorFix(a)) return a[operatorFix](writtenHere(op), b, true);
  return hasOperatorFix(b) ? b[operatorFix](writtenHere(op), a, false) : undefined;
}

/** What to type in place of `-D`, of an object whose elements a method goes through. */
export function fixOfUnary(op: string, a: object): string | undefined {
  const [here] = spansHere();
  const text = (here && textAt(here)) ?? "";
  return "map" in a && text.startsWith(op) ? `write \`${plain(text.slice(op.length))}.map((x) => ${op}x)\`` : undefined;
}

/** What to type for `A * B` of operands: products are added to an accumulator. */
export const productFix = ({ op, left, right, taker = "D" }: WrittenOperator): string | undefined =>
  op === "*" ? `write \`${taker} = ${taker}.mma(${left}, ${right})\`, with an accumulator \`${taker}\`` : undefined;

/** What to type for `D + E` and `D + 1` of accumulators, whose methods go through their elements; undefined where the other one is neither. */
export function elementFix(
  { op, left, right, taker }: WrittenOperator,
  isLeft: boolean,
  other: "alike" | "number" | undefined,
): string | undefined {
  if (other === undefined) return undefined;
  if (other === "alike") return `write \`${taker ?? left} = ${left}.zip(${right}, (a, b) => a ${op} b)\``;
  const mine = isLeft ? left : right;
  return `write \`${taker ?? mine} = ${mine}.map((x) => ${isLeft ? `x ${op} ${right}` : `${left} ${op} x`})\``;
}
