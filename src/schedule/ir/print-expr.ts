/** Expressions as TypeScript, with the fewest parentheses that keep the tree as it is. */
import { roundFloat } from "../../base/small-floats.ts";
import type { DType } from "../../base/types.ts";
import { Names } from "./names.ts";
import type { Const, Expr, Region } from "./types.ts";

/** How tightly operators bind, as in JavaScript. */
const binds: Readonly<Record<string, number>> = {
  "||": 3,
  "&&": 4,
  "===": 8,
  "!==": 8,
  "<": 9,
  "<=": 9,
  ">": 9,
  ">=": 9,
  "+": 11,
  "-": 11,
  "*": 12,
  "/": 12,
  "%": 12,
};
const level = { loosest: 0, conditional: 2, comparison: 10, power: 13, unary: 14, call: 17 } as const;

/** What printing needs besides the expression. */
export interface ExprContext {
  readonly names: Names;
  /** Notes a name that the text imports from "warpsmith/schedule", or a conversion, which "warpsmith" exports. */
  readonly use: (name: string) => void;
}

const rounded = (dtype: DType, x: number): number =>
  dtype === "f32"
    ? Math.fround(x)
    : dtype === "f16" || dtype === "bf16" || dtype === "e4m3" || dtype === "e5m2" || dtype === "tf32"
      ? roundFloat(dtype, x)
      : x;

/** The shortest number that rounds to the constant. */
function numberText(value: number, dtype: DType): string {
  if (Object.is(value, -0)) return "-0";
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  for (let digits = 1; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Object.is(rounded(dtype, short), value)) return String(short);
  }
  return String(value);
}

const literal = (e: Const): string => (typeof e.value === "number" ? numberText(e.value, e.dtype) : String(e.value));
const isNegative = (text: string): boolean => text.startsWith("-");

/** The constant with its type: what stands beside it does not say it. */
function typed(e: Const, cx: ExprContext): string {
  cx.use(e.dtype);
  return `${e.dtype}(${literal(e)})`;
}

/** An expression whose type its place says: a literal needs none. */
export const placed = (e: Expr, cx: ExprContext): string => (e.kind === "const" ? literal(e) : print(e, level.loosest, cx));

/** An expression for a sentence, by the names that its variables and buffers have. */
export const exprText = (e: Expr): string => placed(e, { names: new Names(), use: () => {} });

/** Two operands of one type: where both are literals, the first says it. */
function operands(a: Expr, b: Expr, [left, right]: readonly [number, number], cx: ExprContext): readonly [string, string] {
  const bare = (e: Const, tightness: number): string => {
    const text = literal(e);
    return isNegative(text) && tightness > level.unary ? `(${text})` : text;
  };
  return [
    a.kind === "const" && b.kind !== "const" ? bare(a, left) : print(a, left, cx),
    b.kind === "const" ? bare(b, right) : print(b, right, cx),
  ];
}

/** An expression whose type is said by itself. */
export function print(e: Expr, tightness: number, cx: ExprContext): string {
  const [text, own] = textOf(e, cx);
  return own < tightness ? `(${text})` : text;
}

function textOf(e: Expr, cx: ExprContext): readonly [text: string, binds: number] {
  switch (e.kind) {
    case "const":
      return [typed(e, cx), level.call];
    case "var":
      return [cx.names.of(e) ?? e.name, level.call];
    case "load":
      return [`${cx.names.of(e.buffer) ?? e.buffer.name}${e.indices.map((i) => `[${placed(i, cx)}]`).join("")}`, level.call];
    case "cast":
      cx.use(e.dtype);
      return [`${e.dtype}(${print(e.a, level.loosest, cx)})`, level.call];
    case "select": {
      const [yes, no] = operands(e.yes, e.no, [level.conditional, level.conditional], cx);
      return [`${print(e.condition, level.conditional + 1, cx)} ? ${yes} : ${no}`, level.conditional];
    }
    case "unary": {
      if (e.op === "exp2") return [`2 ** ${print(e.a, level.power, cx)}`, level.power];
      if (e.op !== "-" && e.op !== "!") return [`Math.${e.op}(${print(e.a, level.loosest, cx)})`, level.call];
      const inner = print(e.a, level.unary, cx);
      return [`${e.op}${isNegative(inner) && e.op === "-" ? `(${inner})` : inner}`, level.unary];
    }
    case "binary": {
      if (e.op === "min" || e.op === "max") return [`Math.${e.op}(${operands(e.a, e.b, [0, 0], cx).join(", ")})`, level.call];
      if (e.op === "floorDiv") {
        cx.use("floorDiv");
        return [`floorDiv(${operands(e.a, e.b, [0, 0], cx).join(", ")})`, level.call];
      }
      const own = binds[e.op] ?? 0;
      // Comparisons of comparisons are hard to read without parentheses; JavaScript's logic of two needs none.
      const sides: readonly [number, number] = own === 8 || own === 9 ? [level.comparison, level.comparison] : [own, own + 1];
      if (e.op === "&&" || e.op === "||")
        return [`${print(e.a, own, cx)} ${e.op} ${e.b.kind === "const" ? literal(e.b) : print(e.b, own + 1, cx)}`, own];
      const [a, b] = operands(e.a, e.b, sides, cx);
      return [`${a} ${e.op} ${b}`, own];
    }
  }
}

/** `X.region([i, 16], [0, 16])`. */
export const regionText = (region: Region, cx: ExprContext): string =>
  `${cx.names.of(region.buffer) ?? region.buffer.name}.region(${region.ranges.map((r) => `[${placed(r.min, cx)}, ${placed(r.extent, cx)}]`).join(", ")})`;
