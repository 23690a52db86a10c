import type { Operand, PtxFunction, PtxTree, Variable } from "../../ptx/parse/index.ts";

/** What an operand names: variables, and functions. */
function* namesOf(o: Operand | Variable | undefined): Generator<Variable | string> {
  switch (o?.kind) {
    case "variable":
      return yield o;
    case "symbol":
      return yield o.variable;
    case "function":
      return yield o.name;
    case "address":
      return yield* namesOf(o.base);
    case "tensor":
      for (const part of [o.map, ...o.coords]) yield* namesOf(part);
      return;
    case "vector":
    case "list":
      for (const item of o.items) yield* namesOf(item);
      return;
    case "label":
      if (o.label.kind === "calltargets") for (const f of o.label.functions) yield f.name;
  }
}

/** Bytes of shared memory that an entry, and the functions that it calls by name, declare or use. */
export function staticSharedBytes(tree: PtxTree, entry: PtxFunction): number {
  const byName = new Map(tree.functions.map((fn) => [fn.name, fn]));
  const functions = new Set([entry]);
  const variables = new Set<Variable>();
  // The set grows while it is walked.
  for (const { body } of functions) {
    for (const v of body?.variables ?? []) variables.add(v);
    for (const { operands } of body?.instructions ?? [])
      for (const operand of operands)
        for (const found of namesOf(operand)) {
          if (typeof found !== "string") variables.add(found);
          const fn = typeof found === "string" ? byName.get(found) : undefined;
          if (fn) functions.add(fn);
        }
  }
  let end = 0;
  for (const v of variables) if (v.space === "shared" && v.size > 0) end = Math.ceil(end / v.align) * v.align + v.size;
  return end;
}
