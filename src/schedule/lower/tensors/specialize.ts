/** A program for the tensors of one launch: its sizes are known. */

import type { TensorSpec } from "../../../base/types.ts";
import { fail } from "../../errors/index.ts";
import { int, intOf } from "../../ir/build.ts";
import type { Buffer, Expr, Program, Var } from "../../ir/types.ts";
import { mapExpr, mapStmt, substituteIn } from "../../ir/walk.ts";

/** What the sizes are: a dimension of a parameter that is one size alone says it. W5590. */
function sizesOf(program: Program, specs: readonly TensorSpec[]): ReadonlyMap<Var, Expr> {
  const sizes = new Map<Var, Expr>();
  program.params.forEach((buffer, n) => {
    buffer.shape.forEach((extent, d) => {
      const given = specs[n]?.shape[d];
      if (extent.kind === "var" && given !== undefined && !sizes.has(extent)) sizes.set(extent, int(given));
    });
  });
  return sizes;
}

function checkShape(program: Program, buffer: Buffer, sizes: ReadonlyMap<Var, Expr>, spec: TensorSpec): void {
  const wanted = buffer.shape.map((e) => intOf(substituteIn(e, sizes)));
  if (wanted.length === spec.shape.length && wanted.every((n, d) => n === spec.shape[d])) return;
  const text = wanted.map((n) => n ?? "?").join(", ");
  fail("W5590", { program: program.name, name: buffer.name, given: spec.shape.join(", "), wanted: text });
}

/** The program whose sizes are those of the tensors; the buffers of its parameters are new ones where sizes stand in their shapes. W5590. */
export function specialize(program: Program, specs: readonly TensorSpec[]): Program {
  const sizes = sizesOf(program, specs);
  program.params.forEach((buffer, n) => {
    const spec = specs[n];
    if (spec) checkShape(program, buffer, sizes, spec);
  });
  return sizes.size === 0 ? program : withSizes(program, sizes);
}

function withSizes(program: Program, sizes: ReadonlyMap<Var, Expr>): Program {
  const made = new Map<Buffer, Buffer>();
  const buffer = (b: Buffer): Buffer => {
    const known = made.get(b) ?? { ...b, shape: b.shape.map((e) => substituteIn(e, sizes)) };
    made.set(b, known);
    return known;
  };
  const expr = (e: Expr): Expr =>
    mapExpr(e, (x) => (x.kind === "load" ? { ...x, buffer: buffer(x.buffer) } : x.kind === "var" ? (sizes.get(x) ?? x) : x));
  return {
    ...program,
    params: program.params.map(buffer),
    buffers: program.buffers.map(buffer),
    sizes: [],
    body: mapStmt(program.body, { expr, buffer }),
  };
}
