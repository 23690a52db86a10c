/** Values of variables for which a condition holds and others do not, found by trying. */
import { intOf } from "../../ir/build.ts";
import type { Known } from "../../ir/simplify.ts";
import type { Binary, Expr, Var } from "../../ir/types.ts";
import { within } from "../../ir/walk.ts";

type Value = number | boolean | undefined;

/** How many points are looked at: all threads of a block in 64 iterations or blocks. */
const most = 65_536;

function binaryAt({ op, a: left, b: right }: Binary, at: ReadonlyMap<Var, number>): Value {
  const [a, b] = [valueAt(left, at), valueAt(right, at)];
  if (op === "&&") return a === false || b === false ? false : a === true && b === true ? true : undefined;
  if (op === "||") return a === true || b === true ? true : a === false && b === false ? false : undefined;
  if (typeof a !== "number" || typeof b !== "number") return undefined;
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "floorDiv":
      return b === 0 ? undefined : Math.floor(a / b);
    case "%":
      return b === 0 ? undefined : a % b;
    case "min":
      return Math.min(a, b);
    case "max":
      return Math.max(a, b);
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    case "===":
      return a === b;
    case "!==":
      return a !== b;
    default:
      return undefined;
  }
}

/** What an expression of integers and truth values is there; undefined where it is not known, as what memory holds. */
function valueAt(e: Expr, at: ReadonlyMap<Var, number>): Value {
  if (e.dtype !== "i32" && e.dtype !== "bool") return undefined;
  switch (e.kind) {
    case "const":
      return e.value;
    case "var":
      return at.get(e);
    case "binary":
      return binaryAt(e, at);
    case "unary": {
      const a = valueAt(e.a, at);
      if (e.op === "!") return typeof a === "boolean" ? !a : undefined;
      return e.op === "-" && typeof a === "number" ? -a : undefined;
    }
    case "select": {
      const c = valueAt(e.condition, at);
      return typeof c === "boolean" ? valueAt(c ? e.yes : e.no, at) : undefined;
    }
    default:
      return undefined;
  }
}

/** A point where `holds` surely does and none of the others may; undefined where none of those that are looked at is one. */
export function holdsSomewhere(holds: Expr, others: readonly Expr[], known: Known): ReadonlyMap<Var, number> | undefined {
  const variables = new Set<Var>();
  for (const e of [holds, ...others]) for (const x of within(e)) if (x.kind === "var") variables.add(x);
  const at = new Map<Var, number>();
  const ranges: { readonly v: Var; readonly min: number; readonly max: number }[] = [];
  for (const v of variables) {
    const bounds = known.get(v);
    const [min, max] = [bounds && intOf(bounds.min), bounds && intOf(bounds.max)];
    if (min === undefined || max === undefined || max < min) return undefined;
    ranges.push({ v, min, max });
    at.set(v, min);
  }
  for (let tried = 0; tried < most; tried++) {
    if (valueAt(holds, at) === true && others.every((e) => valueAt(e, at) === false)) return at;
    const next = ranges.find(({ v, min, max }) => {
      const n = at.get(v) ?? min;
      at.set(v, n < max ? n + 1 : min);
      return n < max;
    });
    if (!next) return undefined;
  }
  return undefined;
}
