import type { Spans } from "../../base/diag/index.ts";
import { isFloat, isInteger, type Literal, type ScalarType, type Value } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { spansHere } from "../trace/fail-here.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { representable } from "./literals.ts";
import { literalText, typeText } from "./names.ts";

/**
 * Values that share a type that nobody has named yet: literals that became staged, and what was computed from such alone. The first
 * typed value that meets one of them settles the cell; if none does, the end of the trace settles it.
 */
interface Cell {
  link: Cell | undefined;
  readonly kind: "number" | "bigint";
  type: ScalarType | undefined;
  readonly values: Value[];
  readonly literals: { readonly value: Literal; readonly spans: Spans }[];
  /** What depends on the type: constants to be rounded, operators that not every type has. */
  readonly uses: ((type: ScalarType) => void)[];
  /** Something was done to it that only floating point can do. */
  fractional: boolean;
}

interface OpenTypes {
  /** Those whose type is still to be found. */
  readonly cells: Set<Cell>;
  readonly of: Map<Value, Cell>;
}
const openTypes = { make: (): OpenTypes => ({ cells: new Set(), of: new Map() }), save: saveCells };

/** A cell as it was, with the types that its values had until then. What used a type that is taken back is used again with the next. */
function saveCells({ cells }: OpenTypes): () => void {
  const known = [...cells];
  const saved = known.map((cell) => {
    const { values, literals, uses, fractional } = cell;
    const lists = [values.length, literals.length] as const;
    const before = [...uses];
    const types = values.map((value) => value.type);
    return () => {
      Object.assign(cell, { link: undefined, type: undefined, fractional });
      values.splice(lists[0]);
      literals.splice(lists[1]);
      uses.splice(0, uses.length, ...before);
      values.forEach((value, i) => {
        value.type = types[i] ?? value.type;
      });
    };
  });
  return () => {
    cells.clear();
    for (const cell of known) cells.add(cell);
    for (const undo of saved) undo();
  };
}
const stateOf = (trace: Trace): OpenTypes => trace.state(openTypes);
const here = (): OpenTypes => stateOf(currentTrace("a number"));

function root(cell: Cell): Cell {
  let top = cell;
  while (top.link) top = top.link;
  return top;
}

function openCell(value: Value): Cell | undefined {
  const cell = here().of.get(value);
  const top = cell && root(cell);
  return top && top.type === undefined ? top : undefined;
}

/** Is the value's type still to be found? */
export const isOpen = (value: Value): boolean => openCell(value) !== undefined;

/** Is it an open 64-bit integer rather than an open number? */
export const isOpenBigint = (value: Value): boolean => openCell(value)?.kind === "bigint";

/** Gives the value an open type of its own. */
export function open(value: Value, kind: "number" | "bigint"): void {
  const state = here();
  const cell: Cell = { link: undefined, kind, type: undefined, values: [value], literals: [], uses: [], fractional: false };
  state.cells.add(cell);
  state.of.set(value, cell);
}

/** Gives `value` the type that `like` has or will have. */
export function joinType(value: Value, like: Value): void {
  const cell = openCell(like);
  if (!cell) {
    value.type = like.type;
    return;
  }
  value.type = like.type;
  cell.values.push(value);
  here().of.set(value, cell);
}

/** Makes two open values share one type. */
export function unify(a: Value, b: Value): void {
  const [x, y] = [openCell(a), openCell(b)];
  if (!x || !y || x === y) return;
  if (x.kind !== y.kind)
    fail("W2003", { op: "together with", a: x.kind, b: y.kind, fix: "convert one of them, `i64(n)` or `i32(n)`" }, spansHere());
  y.link = x;
  for (const value of y.values) x.values.push(value);
  for (const literal of y.literals) x.literals.push(literal);
  for (const use of y.uses) x.uses.push(use);
  x.fractional ||= y.fractional;
  here().cells.delete(y);
}

/** A literal flows into the open value: it must be representable in whatever type is found. */
export function addLiteral(value: Value, literal: Literal, set: (exact: Literal) => void): void {
  const cell = openCell(value);
  if (!cell) return;
  const spans = spansHere();
  cell.literals.push({ value: literal, spans });
  cell.uses.push((type) => set(representable(literal, type) ?? failLiteral(literal, type, spans)));
}

/** Runs `use` with the type, now or when it is found. */
export function whenTyped(value: Value, use: (type: ScalarType) => void): void {
  const cell = openCell(value);
  if (cell) cell.uses.push(use);
  else use(value.type as ScalarType);
}

/** Says that only floating point can do what is done to the open value. */
export function markFractional(value: Value): void {
  const cell = openCell(value);
  if (cell) cell.fractional = true;
}

export function failLiteral(literal: Literal, type: ScalarType, spans: Spans): never {
  return fail("W2004", { literal: literalText(literal), type: typeText(type), fix: literalFix(literal, type) }, spans);
}

function literalFix(literal: Literal, type: ScalarType): string {
  if (type === "pred") return `write \`${literal ? "true" : "false"}\``;
  if (typeof literal === "boolean") return `write \`${literal ? 1 : 0}\``;
  if (typeof literal === "bigint")
    return isInteger(type) && type !== "i64" && type !== "u64" ? `write \`${literal}\`` : "convert the other value with i64(…)";
  if (type === "i64" || type === "u64")
    return Number.isInteger(literal) ? `write \`${literal}n\`` : "convert the other value with f64(…)";
  if (isInteger(type) && !Number.isInteger(literal))
    return "convert the other value to floating point, `f32(n)`, or round the number with Math.trunc";
  if (isFloat(type)) return "convert the other value to a wider type, `f32(x)`";
  return type === "u32" && literal < 0
    ? "convert the other value with i32(…)"
    : "use a wider type, `i64(n)` with a bigint literal, or `f64(n)`";
}

/** The type is found. */
export function settle(value: Value, type: ScalarType): void {
  const cell = openCell(value);
  if (cell) settleCell(cell, type);
}

function settleCell(cell: Cell, type: ScalarType): void {
  const wide = type === "i64" || type === "u64";
  if (type === "pred" || wide !== (cell.kind === "bigint")) {
    const literal = cell.literals[0];
    if (literal) failLiteral(literal.value, type, spansHere());
    fail(
      "W2003",
      { op: "together with", a: cell.kind, b: typeText(type), fix: `convert one of them, \`${wide ? "i64" : "i32"}(n)\`` },
      spansHere(),
    );
  }
  cell.type = type;
  here().cells.delete(cell);
  for (const value of cell.values) value.type = type;
  for (const use of cell.uses.splice(0)) use(type);
}

/** Settles what never met a typed value: i32 where every literal is whole, else f32; i64 for bigints. */
export function settleOpenTypes(trace: Trace): void {
  for (const cell of stateOf(trace).cells) {
    const whole =
      !cell.fractional &&
      cell.literals.every(({ value }) => typeof value === "bigint" || (Number.isInteger(value) && !Object.is(value, -0)));
    settleCell(cell, cell.kind === "bigint" ? "i64" : whole ? "i32" : "f32");
  }
}
