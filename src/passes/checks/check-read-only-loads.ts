/**
 * Checks that a tensor which is loaded by the non-coherent cache is not written by the same kernel: `ld.global.nc` is for memory that is
 * read-only as long as the kernel runs (PTX ISA 9.7.9.8). Changes nothing.
 *
 * Requires: nothing.
 * Ensures: no load with `cache = "nc"` and no store or atomic has an address made of the same tensor parameter (W2064). Of an address that
 * a branch or a loop chooses it says nothing, nor of two parameters with the same memory: the emulator does (W9227).
 */

import { type Graph, type Op, opSpec, type Value, walkOps } from "../../ir/index.ts";
import { fail } from "../errors.ts";

const writes = (op: Op): boolean => opSpec(op.name).effects.includes("write.global");

const pointerOf = (op: Op): Value | undefined => (op.operands as { readonly ptr?: Value }).ptr;

export function checkReadOnlyLoads(graph: Graph): Graph {
  const loads: Op[] = [];
  const stores: Op[] = [];
  /** The address that each address is some bytes further on than. */
  const from = new Map<Value, Value>();
  walkOps(graph.body, (op) => {
    if (op.name === "ptr.add") {
      const [[result], ptr] = [op.results, pointerOf(op)];
      if (result && ptr) from.set(result, ptr);
    } else if (op.name === "ld.global" && (op.attrs as { readonly cache?: string }).cache === "nc") loads.push(op);
    else if (writes(op)) stores.push(op);
  });
  if (loads.length === 0) return graph;
  const { params } = graph.body;
  /** Which parameter the address is made of. */
  const tensorOf = (op: Op): number => {
    let at = pointerOf(op);
    for (let next = at && from.get(at); next; next = from.get(next)) at = next;
    return at ? params.indexOf(at) : -1;
  };
  const written = new Map(stores.map((op) => [tensorOf(op), op]));
  written.delete(-1);
  for (const op of loads) {
    const tensor = tensorOf(op);
    const store = written.get(tensor);
    if (!store) continue;
    const also = store.spans.slice(0, 1).map((span) => ({ ...span, note: "stored to at" }));
    fail("W2064", { name: graph.params[tensor]?.name ?? "a tensor" }, [...op.spans, ...also]);
  }
  return graph;
}
