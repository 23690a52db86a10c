/** Descriptions of intrinsics: small programs of one block. */

import type { DType } from "../../base/types.ts";
import { add, cast, int, load, loop, mul, seq, variable } from "../ir/build.ts";
import type { Axis, Block, Buffer, Expr, Program, Scope, Stmt, Store, Var } from "../ir/types.ts";

/** A buffer of a description. */
export const part = (name: string, dtype: DType, shape: readonly number[], scope: Scope): Buffer => ({
  name,
  dtype,
  shape: shape.map(int),
  scope,
});

/** A part that may reach beyond the end of its buffer, as TMA takes parts of tensors. PTX ISA 5.5.3. */
export const clipped = (buffer: Buffer): Buffer => ({ ...buffer, clipped: true });

export const store = (buffer: Buffer, indices: readonly Expr[], value: Expr): Store => ({
  kind: "store",
  buffer,
  indices,
  value,
});

/** One axis of a description's block, and the loop that it takes its value from. */
interface Dimension {
  readonly name: string;
  readonly extent: number;
  readonly type?: Axis["type"];
}

/** A program of one block under a loop for each axis. */
export function describe(
  name: string,
  params: readonly Buffer[],
  dimensions: readonly Dimension[],
  body: (...axes: readonly Var[]) => Stmt,
): Program {
  const loops = dimensions.map((d) => variable(d.name));
  const axes = dimensions.map(
    (d): Axis => ({ variable: variable(`v${d.name}`), extent: int(d.extent), type: d.type ?? "spatial" }),
  );
  const block: Block = {
    kind: "block",
    name,
    axes,
    values: loops,
    body: body(...axes.map((a) => a.variable)),
    annotations: {},
  };
  const nest = dimensions.reduceRight<Stmt>((inner, d, i) => loop(loops[i] ?? variable(d.name), int(d.extent), inner), block);
  return { name, params, sizes: [], buffers: [], body: nest };
}

/** `to[i][j] = from[i][j]` over a whole matrix. */
export function copyOf(name: string, from: Buffer, to: Buffer, [rows, columns]: readonly [number, number]): Program {
  const dimensions = [
    { name: "i", extent: rows },
    { name: "j", extent: columns },
  ];
  return describe(name, [from, to], dimensions, (i, j) => {
    const at = [i, j] as readonly Expr[];
    return store(to, at, load(from, at));
  });
}

/** How an operand lies in its buffer: the dimension of K last, as rows of A and columns of B are, or first. */
export type Lines = "row" | "col";

/** C[i][j] += A · B, with A as [m, k] ("row") or [k, m], and B as [k, n] ("row") or [n, k]. */
export function productOf(
  name: string,
  { a, b, c }: { readonly a: Buffer; readonly b: Buffer; readonly c: Buffer },
  [m, n, k]: readonly [number, number, number],
  [linesA, linesB]: readonly [Lines, Lines],
): Program {
  const dimensions = [
    { name: "i", extent: m },
    { name: "j", extent: n },
    { name: "k", extent: k, type: "reduce" as const },
  ];
  return describe(name, [a, b, c], dimensions, (...axes) => {
    const [i, j, r] = axes as readonly [Var, Var, Var];
    const left = load(a, linesA === "row" ? [i, r] : [r, i]);
    const right = load(b, linesB === "row" ? [r, j] : [j, r]);
    const product = mul(cast(c.dtype, left), cast(c.dtype, right));
    return seq(store(c, [i, j], add(load(c, [i, j]), product)));
  });
}
