/**
 * Checks that every value was computed by this kernel: a value of the GPU that the author kept outside is gone when its kernel is
 * traced. Changes nothing.
 *
 * Requires: nothing; it runs where the verifier, to which such a value is a broken invariant, has refused the graph.
 * Ensures: every operand is defined somewhere in the graph (W2052).
 */

import { type Graph, operandList, type Region, type Value, walkOps } from "../../ir/index.ts";
import { fail } from "../errors.ts";

export function checkOrigins(graph: Graph): void {
  const defined = new Set<Value>();
  const define = (region: Region): void => {
    for (const param of region.params) defined.add(param);
    for (const op of region.ops) {
      for (const result of op.results) defined.add(result);
      op.regions.forEach(define);
    }
  };
  define(graph.body);
  walkOps(graph.body, (op) => {
    if (operandList(op).some((value) => !defined.has(value))) fail("W2052", {}, op.spans);
  });
}
