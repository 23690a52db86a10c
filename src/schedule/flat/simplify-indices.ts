/**
 * Requires: no block has axes. Ensures: indices and conditions are as short as what is known of the loops around makes them; what never
 * runs is gone, and so are conditions that always hold.
 */
import { intOf, isFalse, isTrue, seq } from "../ir/build.ts";
import { bounded, type Known, simplify } from "../ir/simplify.ts";
import type { Expr, Program, Region, Stmt } from "../ir/types.ts";
import { mapExpr } from "../ir/walk.ts";

/** Integers and conditions anywhere in an expression; floating point as it is. */
const shorter = (e: Expr, known: Known): Expr => mapExpr(e, (x) => (isIndex(x) ? simplify(x, known) : x));
const isIndex = (x: Expr): boolean => (x.dtype === "i32" || x.dtype === "bool") && x.kind === "binary";

const region = ({ buffer, ranges }: Region, known: Known): Region => ({
  buffer,
  ranges: ranges.map((r) => ({ min: shorter(r.min, known), extent: shorter(r.extent, known) })),
});

function simplified(s: Stmt, known: Known): Stmt {
  switch (s.kind) {
    case "seq":
      return seq(...s.body.map((x) => simplified(x, known)));
    case "for": {
      const extent = shorter(s.extent, known);
      if (intOf(extent) === 0) return seq();
      const body = simplified(s.body, new Map([...known, [s.variable, bounded(extent)]]));
      return { ...s, extent, body };
    }
    case "block":
      return { ...s, body: simplified(s.body, known) };
    case "if": {
      const condition = shorter(s.condition, known);
      if (isTrue(condition)) return simplified(s.yes, known);
      if (isFalse(condition)) return s.no ? simplified(s.no, known) : seq();
      return { ...s, condition, yes: simplified(s.yes, known), no: s.no && simplified(s.no, known) };
    }
    case "store":
      return { ...s, indices: s.indices.map((i) => shorter(i, known)), value: shorter(s.value, known) };
    case "intrinsic":
      return { ...s, args: s.args.map((r) => region(r, known)) };
    case "effect":
      return { ...s, args: s.args.map((a) => shorter(a, known)) };
  }
}

/** Indices and conditions become shorter. */
export const simplifyIndices = (program: Program): Program => ({ ...program, body: simplified(program.body, new Map()) });
