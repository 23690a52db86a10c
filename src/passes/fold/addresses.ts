import { type AttrValue, type Op, type Value, withParts } from "../../ir/index.ts";
import { operand } from "../rewrite/rewrite.ts";
import { definedBy, type FoldContext, type Folded, instead, integerOf, newConst } from "./context.ts";

/** Offsets that fit the immediate of a memory instruction. */
const fits = (n: bigint): boolean => n >= -(1n << 31n) && n < 1n << 31n;

/** A literal offset in bytes. 32-bit ones are extended by their sign, whatever their type. */
function offsetOf(by: Value, c: FoldContext): bigint | undefined {
  const n = integerOf(by, c);
  if (n === undefined) return undefined;
  return BigInt.asIntN(by.type === "i64" || by.type === "u64" ? 64 : 32, n);
}

function addition(op: Op<"ptr.add">, c: FoldContext): Folded {
  const { ptr, by } = op.operands;
  const n = offsetOf(by, c);
  if (n === undefined) return undefined;
  if (n === 0n) return { value: ptr };
  const dynamic = definedBy(ptr, "shared.dynamic", c);
  if (dynamic && dynamic.attrs.at + Number(n) >= 0)
    return { ops: [instead(op, "shared.dynamic", {}, { at: dynamic.attrs.at + Number(n) })] };
  const inner = definedBy(ptr, "ptr.add", c);
  const k = inner && offsetOf(inner.operands.by, c);
  if (!inner || k === undefined || !fits(n + k)) return undefined;
  const sum = newConst(op, "i32", Number(n + k), c);
  return { ops: [sum as Op, instead(op, "ptr.add", { ptr: inner.operands.ptr, by: sum.results[0] ?? by }, {})] };
}

/** (p + literal) + x is (p + x) + literal: literals move outwards, to the instruction that uses the address. */
function literalsOutwards(op: Op<"ptr.add">, c: FoldContext): Folded {
  const { ptr, by } = op.operands;
  const inner = definedBy(ptr, "ptr.add", c);
  if (!inner || offsetOf(inner.operands.by, c) === undefined || offsetOf(by, c) !== undefined) return undefined;
  const base: Value = { id: c.ids.next++, type: ptr.type };
  const first = instead(op, "ptr.add", { ptr: inner.operands.ptr, by }, {}, [base]);
  return { ops: [first, instead(op, "ptr.add", { ptr: base, by: inner.operands.by }, {})] };
}

/** The place in another block of p + x is x further on than that of p: where p is always the same, it can leave a loop. */
function mapping(op: Op<"mapa">, c: FoldContext): Folded {
  const { ptr, rank } = op.operands;
  const inner = definedBy(ptr, "ptr.add", c);
  if (!inner) return undefined;
  const base: Value = { id: c.ids.next++, type: "ptr.cluster" };
  const first = instead(op, "mapa", { ptr: inner.operands.ptr, rank }, {}, [base]);
  return { ops: [first, instead(op, "ptr.add", { ptr: base, by: inner.operands.by }, {})] };
}

/** A memory access at pointer + literal takes the literal as its offset. */
function access(op: Op, c: FoldContext): Folded {
  const { offset } = op.attrs as Readonly<Record<string, AttrValue>>;
  if (typeof offset !== "number") return undefined;
  const inner = definedBy(operand(op, "ptr"), "ptr.add", c);
  const n = inner && offsetOf(inner.operands.by, c);
  if (!inner || n === undefined || !fits(n + BigInt(offset))) return undefined;
  return {
    ops: [
      withParts(op, {
        operands: { ...op.operands, ptr: inner.operands.ptr },
        attrs: { ...op.attrs, offset: offset + Number(n) },
      }),
    ],
  };
}

/** Chains of address arithmetic. */
export function foldAddresses(op: Op, c: FoldContext): Folded {
  if (op.name === "ptr.add") return addition(op as Op<"ptr.add">, c) ?? literalsOutwards(op as Op<"ptr.add">, c);
  return op.name === "mapa" ? mapping(op as Op<"mapa">, c) : access(op, c);
}
