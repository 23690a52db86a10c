/** The grid of a kernel as formulas, where its option can be followed: by letting it compute with the tracer's numbers. */

import type { Dim } from "../../base/types.ts";
import { isStagedScalar, scalar, Trace, withTrace } from "../../dsl/index.ts";
import type { AnyOp, ProgramOptions, ScalarType, Value } from "../../ir/index.ts";
import { evaluate, type Formula, type LaunchNumbers } from "../built/index.ts";

/** Numbers of the tracer's that stand for those of a launch. */
export class Unknowns {
  readonly #trace: Trace;
  readonly #inputs = new Map<Value, Formula>();

  constructor(options: ProgramOptions) {
    this.#trace = new Trace({ ...options, name: "grid" });
  }

  /** One of them. Numbers of other types than i32 cannot be followed, and are not wanted in grids. */
  number(name: string, type: ScalarType, formula: Formula): number {
    const value = this.#trace.value(type, name);
    if (type === "i32") this.#inputs.set(value, formula);
    return scalar(value);
  }

  /** What a function gives that may compute with them; undefined where it cannot. */
  run<T>(compute: () => T): T | undefined {
    try {
      return withTrace(this.#trace, compute);
    } catch {
      return undefined;
    }
  }

  /** A number that `run` gave; undefined where it is no formula. */
  formulaOf(given: unknown): Formula | undefined {
    if (typeof given === "number") return given;
    return isStagedScalar(given) ? this.#formula(given.value) : undefined;
  }

  #formula(value: Value): Formula | undefined {
    const tree = this.#tree(value, new Map());
    return tree && asFormula(tree);
  }

  #tree(value: Value, known: Map<Value, Tree | undefined>): Tree | undefined {
    if (known.has(value)) return known.get(value);
    const input = this.#inputs.get(value);
    const made = this.#trace.makerOf(value) as AnyOp | undefined;
    const tree = input === undefined ? made && this.#treeOf(made, known) : { op: "input", formula: input, args: [] };
    known.set(value, tree);
    return tree;
  }

  #treeOf(op: AnyOp, known: Map<Value, Tree | undefined>): Tree | undefined {
    if (op.name === "const") {
      const { value } = op.attrs;
      return typeof value === "number" ? { op: "const", formula: value, args: [] } : undefined;
    }
    const args = Object.values(op.operands as Readonly<Record<string, Value>>).map((operand) => this.#tree(operand, known));
    const kind = op.name === "cmp" ? `cmp.${op.attrs.is}` : op.name;
    return args.every((arg) => arg !== undefined) ? { op: kind, args: args as Tree[] } : undefined;
  }
}

/** An expression as it was recorded. */
interface Tree {
  readonly op: string;
  /** Of "input" and "const". */
  readonly formula?: Formula;
  readonly args: readonly Tree[];
}

const node = (op: string, ...args: readonly Tree[]): Tree => ({ op, args });
const constant = (formula: number): Tree => ({ op: "const", formula, args: [] });
const isSame = (a: Tree, b: Tree): boolean =>
  a.op === b.op &&
  JSON.stringify(a.formula) === JSON.stringify(b.formula) &&
  a.args.length === b.args.length &&
  a.args.every((arg, i) => {
    const other = b.args[i];
    return other !== undefined && (arg === other || isSame(arg, other));
  });

/** What `cdiv` and `Math.ceil(a / b)` record of two integers. */
function ceilOf(a: Tree, b: Tree): Tree {
  const quotient = node("div", a, b);
  const rest = node("sub", a, node("mul", quotient, b));
  const signsDiffer = node("cmp.lt", node("xor", rest, b), constant(0));
  const up = node("and", node("cmp.ne", rest, constant(0)), node("not", signsDiffer));
  return node("select", up, node("add", quotient, constant(1)), quotient);
}

const operators = ["add", "sub", "mul", "div", "rem", "min", "max"] as const;

function asFormula(tree: Tree): Formula | undefined {
  if (tree.formula !== undefined) return tree.formula;
  const [a, b, c] = tree.args;
  const op = operators.find((name) => name === tree.op);
  if (op && a && b) return join(op, a, b);
  const [over, under] = c?.op === "div" ? c.args : [];
  return tree.op === "select" && over && under && isSame(tree, ceilOf(over, under)) ? join("cdiv", over, under) : undefined;
}

function join(op: (typeof operators)[number] | "cdiv", a: Tree, b: Tree): Formula | undefined {
  const [x, y] = [asFormula(a), asFormula(b)];
  return x === undefined || y === undefined ? undefined : { op, args: [x, y] };
}

/** A grid of numbers and formulas; undefined where one of them is neither. */
export function gridFormula(grid: Dim, unknowns: Unknowns): readonly [Formula, Formula, Formula] | undefined {
  const extents = Array.isArray(grid) ? (grid as readonly unknown[]) : [grid];
  const [x = 1, y = 1, z = 1] = extents;
  const formulas = [x, y, z].map((extent) => unknowns.formulaOf(extent));
  const [fx, fy, fz] = formulas;
  return fx === undefined || fy === undefined || fz === undefined || extents.length > 3 ? undefined : [fx, fy, fz];
}

/** Whether formulas give what the author's option gives, for the numbers of one launch. */
export function agrees(formulas: readonly Formula[], expected: Dim, numbers: LaunchNumbers): boolean {
  const extents = typeof expected === "number" ? [expected] : expected;
  return formulas.every((formula, i) => evaluate(formula, numbers) === (extents[i] ?? 1));
}
