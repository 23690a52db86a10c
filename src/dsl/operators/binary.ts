import { pow } from "../math/powers.ts";
import { arithmetic } from "../numbers/arithmetic.ts";
import { compare, isComparison } from "../numbers/compare.ts";
import { describe, refusePlace } from "../numbers/describe.ts";
import { dividesIntegers, elementwise, isTiled, TileQuotient } from "../numbers/elementwise.ts";
import { bitwise, isBitOp, wrappedQuotient } from "../numbers/integers.ts";
import { isLiteral } from "../numbers/literals.ts";
import { operand } from "../numbers/operands.ts";
import { refuseTriple } from "../numbers/triple.ts";
import { isOnGpu, Quotient, StagedText, Unusable, usable } from "../numbers/unusable.ts";
import { readPresence } from "../objects/fields.ts";
import { refuseUnsure } from "../objects/identity.ts";
import { noteAsked, noteReached } from "../objects/outer-reads.ts";
import { failHere } from "../trace/fail-here.ts";
import { fixOfOperator, hasOperatorFix, writtenHere } from "../trace/operator-fix.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { isOwnObject, isPlaceOfElement, isToCall } from "../trace/staged.ts";
import { isStagedTile } from "../trace/staged-tile.ts";
import { activeTrace } from "../trace/trace.ts";

/** JavaScript's own operators, on whatever the author gave them. */
// biome-ignore lint/suspicious/noExplicitAny: operators on values of every type
const plain: Readonly<Record<string, (a: any, b: any) => unknown>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  ">>>": (a, b) => a >>> b,
  "===": (a, b) => a === b,
  "!==": (a, b) => a !== b,
  // biome-ignore lint/suspicious/noDoubleEquals: the author's own
  "==": (a, b) => a == b,
  // biome-ignore lint/suspicious/noDoubleEquals: the author's own
  "!=": (a, b) => a != b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  in: (a, b) => a in b,
  instanceof: (a, b) => a instanceof b,
};

const isText = (x: unknown): x is string | StagedText => typeof x === "string" || x instanceof StagedText;

/** Notes that an object is asked for its number or its text. */
export function noteConverted(x: unknown): void {
  if (typeof x !== "object" || x === null) return;
  const trace = activeTrace();
  if (trace) noteReached(trace, [x], true);
}

/** Notes what an object is an instance of. */
function noteClass(a: unknown, b: unknown, is: unknown): void {
  const trace = activeTrace();
  if (!trace) return;
  noteAsked(trace, a, () => a instanceof (b as typeof Object) === is);
  // A class may answer by itself, and look at whatever it likes.
  if ((b as typeof Object)[Symbol.hasInstance] !== Function.prototype[Symbol.hasInstance]) noteReached(trace, [a, b], true);
}

/** Text and staged values, one after the other. */
export function concatenate(pieces: readonly unknown[]): string | StagedText {
  const parts = [""];
  const values = [];
  const append = (text: string): void => void parts.push((parts.pop() ?? "") + text);
  for (const piece of pieces) {
    if (piece instanceof StagedText) {
      append(piece.parts[0] ?? "");
      for (const part of piece.parts.slice(1)) parts.push(part);
      for (const value of piece.values) values.push(value);
    } else if (isStagedScalar(piece)) {
      values.push(piece);
      parts.push("");
    } else {
      refuseTriple(piece);
      refusePlace(piece, "what stands in a text");
      noteConverted(piece);
      append(String(usable(piece)));
    }
  }
  return values.length === 0 ? parts.join("") : new StagedText(parts, values);
}

/** Operators that ask which object it is, not what it holds. */
const comparesIdentity: ReadonlySet<string> = new Set(["===", "!==", "==", "!=", "instanceof", "in"]);

/** Operators that JavaScript has no elements for. */
const asksForObject: ReadonlySet<string> = new Set(["instanceof", "in"]);

/** Refuses three numbers where an operator wants one, or beside a number that none of them is compared with. W2059. */
function refuseTriples(op: string, a: unknown, b: unknown): void {
  const isNumber = (x: unknown): boolean => isLiteral(x) || isStagedScalar(x) || isStagedTile(x) || x instanceof Unusable;
  if (asksForObject.has(op) || (comparesIdentity.has(op) && !isNumber(a) && !isNumber(b))) return;
  for (const x of [a, b]) refuseTriple(x);
}

/** An object of the dsl beside an operator. W2009. */
function refuseObject(op: string, a: unknown, b: unknown): never {
  const given = [a, b].find(hasOperatorFix) ?? (isOwnObject(a) ? a : b);
  return failHere("W2009", { op, what: describe(given), instead: fixOfOperator(op, a, b) });
}
const isGlobalTensor = (x: unknown): boolean => isOwnObject(x) && "memory" in x && x.memory === "global";

/** Refuses a function of the language beside an operator, and any function beside a value of the GPU: neither is a number. W2080. */
function refuseFunctions(op: string, a: unknown, b: unknown): void {
  if (typeof a !== "function" && typeof b !== "function") return;
  if (comparesIdentity.has(op)) return;
  const [f, other] = typeof a === "function" ? [a, b] : [b, a];
  if (!isToCall(f) && !isOnGpu(other)) return;
  const { left, right } = writtenHere(op);
  const text = f === a ? left : right;
  failHere("W2080", { text: /^[AB]$/.test(text) ? (f as { readonly name: string }).name : text });
}
/** Refuses to compare which place it is, where the elements there are meant: that would be false without a word. W2009. */
function refusePlaces(op: string, a: unknown, b: unknown): void {
  if (asksForObject.has(op)) return;
  const [place, other] = isPlaceOfElement(a) ? [a, b] : [b, a];
  if (isPlaceOfElement(place) && other !== null && other !== undefined) failHere("W2009", { op, what: describe(place) });
}
/** Whether the operator looks at what objects are as numbers or texts. */
function converts(op: string, a: unknown, b: unknown): boolean {
  if (op === "==" || op === "!=") return isValue(a) !== isValue(b);
  return !comparesIdentity.has(op);
}
const isValue = (x: unknown): boolean => x !== null && x !== undefined && typeof x !== "object" && typeof x !== "function";

/** A binary operator of JavaScript, static or staged; of tiles element by element. */
export function binary(op: string, a: unknown, b: unknown): unknown {
  refuseTriples(op, a, b);
  refuseFunctions(op, a, b);
  if (op === "/" && (isStagedTile(a) || isStagedTile(b)) && dividesIntegers(a, b))
    return new TileQuotient(a, b, (x, y) => binary(op, x, y));
  if ((hasOperatorFix(a) || hasOperatorFix(b)) && !comparesIdentity.has(op)) refuseObject(op, a, b);
  if (comparesIdentity.has(op)) refusePlaces(op, a, b);
  if (comparesIdentity.has(op) && a !== b && isGlobalTensor(a) && isGlobalTensor(b)) failHere("W2082", { op });
  if ((isTiled(a) || isTiled(b)) && !asksForObject.has(op)) return elementwise([a, b], `\`${op}\``, ([x, y]) => binary(op, x, y));
  if (a instanceof Quotient && b === 0 && (op === "|" || op === ">>>" || op === ">>" || op === "<<"))
    return bitwise(op, wrappedQuotient(a), 0);
  // A field that only some ways to here have made.
  if (op === "in" && b instanceof Object && !isOnGpu(a)) usable(readPresence(b, a as PropertyKey));
  const unusual = a instanceof Unusable || b instanceof Unusable;
  if (!unusual && !isStagedScalar(a) && !isStagedScalar(b)) {
    if (comparesIdentity.has(op)) refuseUnsure(a, b);
    else if (isOwnObject(a) || isOwnObject(b)) refuseObject(op, a, b);
    const operator = plain[op];
    if (!operator) throw new Error(`no operator ${op}`);
    if (converts(op, a, b)) for (const x of [a, b]) noteConverted(x);
    const result = operator(a, b);
    if (op === "instanceof") noteClass(a, b, result);
    return result;
  }
  if (op === "+" && (isText(a) || isText(b))) return concatenate([a, b]);
  usable(a);
  usable(b);
  if (op === "in") return failHere("W2015", { what: "`in` with a value of the GPU" });
  if (op === "instanceof") return false;
  if (isComparison(op)) return compare(op, a, b);
  if (op === "**") return pow(a, b);
  return isBitOp(op) ? bitwise(op, operand(a, op), operand(b, op)) : arithmetic(op, operand(a, op), operand(b, op));
}
