/**
 * Checks that the author goes on with what a product gave: it adds in place, so what it started from is gone. Changes nothing.
 *
 * Requires: nothing; it runs where the verifier, to which an accumulator used twice is a broken invariant, has refused the graph.
 * Ensures: on every path at most one op updates an accumulator, nothing uses it afterwards (W6003), and a loop updates only what it
 * carries (W6004).
 */

import { type Graph, misusedAccumulator } from "../../ir/index.ts";
import { fail } from "../errors.ts";

export function checkAccumulators(graph: Graph): void {
  const misuse = misusedAccumulator(graph.body);
  if (!misuse) return;
  const { op, by, inNextIteration } = misuse;
  if (inNextIteration) fail("W6004", {}, op.spans);
  fail("W6003", {}, [...op.spans, ...by.spans.slice(0, 1).map((span) => ({ ...span, note: "updated at" }))]);
}
