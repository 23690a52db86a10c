import { isInteger, type OpName, type ScalarType, type Value } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { saveLength } from "../trace/journal.ts";
import { isStagedScalar, type StagedScalar } from "../trace/scalar.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { constantLike } from "./constant.ts";
import { describe } from "./describe.ts";
import { checked } from "./exact.ts";
import { isWide } from "./integers.ts";
import { isOpen, isOpenBigint, markFractional, whenTyped } from "./open-types.ts";
import { emitLike, emitOne, meet, type Operand, wantNumber, widen, wrap } from "./operands.ts";
import { divisionAt, Quotient } from "./unusable.ts";

const names: Readonly<Record<string, OpName>> = { "+": "add", "-": "sub", "*": "mul", "%": "rem" };
const quotients = { make: (): Quotient[] => [], save: saveLength };

/** Reports an integer quotient that nothing rounded. */
export function checkQuotients(trace: Trace): void {
  for (const quotient of trace.state(quotients)) if (!quotient.rounded) quotient.refuse();
}

/** f16 and bf16 have no division and no square root of their own: through f32, which rounds to the same bits. */
function throughF32(value: Value, run: (wide: Value) => Value): Value {
  return value.type === "f16" || value.type === "bf16" ? widen(run(widen(value, "f32")), value.type as ScalarType) : run(value);
}

function divide(a: Operand, b: Operand): StagedScalar | Quotient {
  const [x, y] = meet(a, b, "/");
  if (isOpen(x)) {
    const spans = spansHere();
    if (!isOpenBigint(x)) {
      markFractional(x);
      whenTyped(x, (type) => void (isInteger(type) && fail("W2005", divisionAt(spans), spans)));
    }
    return wrap(checked(emitLike("div", { a: x, b: y }, x), "/"));
  }
  if (x.type === "i64" || x.type === "u64") return wrap(checked(emitLike("div", { a: x, b: y }, x), "/"));
  if (isInteger(x.type)) {
    const quotient = new Quotient(x, y);
    currentTrace("/").state(quotients).push(quotient);
    return quotient;
  }
  return wrap(throughF32(x, (wide) => emitOne("div", { a: wide, b: widen(y, wide.type as ScalarType) })));
}

const fp8 = (x: Operand): boolean => isStagedScalar(x) && (x.type === "e4m3" || x.type === "e5m2") && !isOpen(x.value);

/** `+ - * / %` of which one side at least is staged. */
export function arithmetic(op: string, a: Operand, b: Operand): StagedScalar | Quotient {
  wantNumber(a, op);
  wantNumber(b, op);
  if (fp8(a) && (fp8(b) || !isStagedScalar(b))) failHere("W2014", { op, what: describe(a) });
  if (fp8(b) && !isStagedScalar(a)) failHere("W2014", { op, what: describe(b) });
  if (op === "/") return divide(a, b);
  const name = names[op];
  if (!name) throw new Error(`no operator ${op}`);
  const [x, y] = meet(a, b, op);
  const result = emitLike(name, { a: x, b: y }, x);
  return wrap(checked(result, op));
}

/** `a ** n` for a whole n from 0 to 64: repeated multiplication. */
export function power(a: StagedScalar, n: number): StagedScalar {
  const product = (x: Value, y: Value): Value => checked(emitLike("mul", { a: x, b: y }, a.value), "*");
  let result: Value | undefined;
  let square = a.value;
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = result ? product(result, square) : square;
    if (rest > 1) square = product(square, square);
  }
  return wrap(result ?? constantLike(isWide(a) ? 1n : 1, a.value));
}
