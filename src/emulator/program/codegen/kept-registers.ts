/** Which registers must hold, between two steps, what a segment has made of them. */
import type { Instruction, Operand, Register } from "../../../ptx/parse/index.ts";
import type { Written } from "./index.ts";

function* registersIn(o: Operand | undefined): Generator<Register> {
  switch (o?.kind) {
    case "register":
      yield o;
      break;
    case "not":
      yield o.register;
      break;
    case "vector":
    case "list":
      for (const item of o.items) yield* registersIn(item);
      break;
    case "pair":
      yield* registersIn(o.first);
      yield* registersIn(o.second);
      break;
    case "address":
      if (o.base?.kind === "register") yield o.base;
      break;
    case "tensor":
      for (const part of [o.map, ...o.coords]) if (part.kind !== "variable") yield* registersIn(part);
      break;
  }
}

/**
 * Those that some segment takes as it finds them, and those that instructions outside of segments name: wgmma reads and writes its
 * registers when it lands. All others live within one pass over the lanes.
 */
export function keptRegisters(segments: readonly Written[], others: readonly Instruction[]): ReadonlySet<Register> {
  const kept = new Set(segments.flatMap((segment) => [...segment.initial]));
  for (const { guard, operands } of others) {
    if (guard) kept.add(guard.register);
    for (const o of operands) for (const r of registersIn(o)) kept.add(r);
  }
  return kept;
}
