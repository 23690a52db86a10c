import { type Op, type Value, withParts } from "../../ir/index.ts";
import { operandsOf } from "../rewrite/rewrite.ts";
import { definedBy, type FoldContext, type Folded, instead } from "./context.ts";

type Half = "f16" | "bf16";

const halfOf = (value: Value | undefined): Half | undefined =>
  value?.type === "f16" || value?.type === "bf16" ? value.type : undefined;

/** The f32 that was rounded to give a value. */
function unrounded(value: Value | undefined, c: FoldContext): Value | undefined {
  const from = definedBy(value, "convert", c)?.operands.a;
  return from?.type === "f32" ? from : undefined;
}

/** Two conversions whose results are packed are one; what was a pair is that pair. */
function packing(op: Op<"pair.pack">, c: FoldContext): Folded {
  const whole = definedBy(op.operands.low, "pair.unpack", c);
  if (whole && whole.results[0] === op.operands.low && whole.results[1] === op.operands.high)
    return { value: whole.operands.pair };
  const low = unrounded(op.operands.low, c);
  const high = low && unrounded(op.operands.high, c);
  return high ? { ops: [instead(op as Op, "pair.pack", { low, high }, op.attrs)] } : undefined;
}

/** The pairs that two and two of the values are the halves of. */
function wholePairs(values: readonly Value[], c: FoldContext): readonly Value[] {
  return values.flatMap((low, i) => {
    const whole = i % 2 === 0 ? definedBy(low, "pair.unpack", c) : undefined;
    return whole && whole.results[0] === low && whole.results[1] === values[i + 1] ? [whole.operands.pair] : [];
  });
}

/** Neighbours that are all rounded right before they are stored, or that are halves of pairs, are stored as words. */
function storing(op: Op, c: FoldContext): Folded {
  const values = operandsOf(op, "values");
  const type = halfOf(values[0]);
  const pairs = type ? wholePairs(values, c) : [];
  if (pairs.length > 0 && 2 * pairs.length === values.length)
    return { ops: [withParts(op, { operands: { ...op.operands, values: pairs } })] };
  const from = values.map((v) => unrounded(v, c)).filter((v) => v !== undefined);
  if (!type || values.length % 2 !== 0 || from.length < values.length) return undefined;
  const packs = from.flatMap((low, i) => {
    const high = from[i + 1];
    return i % 2 === 0 && high ? [pack(op, type, low, high, c)] : [];
  });
  const words = packs.flatMap((p) => p.results);
  return { ops: [...packs, withParts(op, { operands: { ...op.operands, values: words } })] };
}

function pack(beside: Op, type: Half, low: Value, high: Value, c: FoldContext): Op {
  const word: Value = { id: c.ids.next++, type: "u32" };
  return instead(beside, "pair.pack", { low, high }, { type }, [word]);
}

/** f16 and bf16 in pairs: the hardware rounds two f32 at a time. */
export function foldPairs(op: Op, c: FoldContext): Folded {
  if (op.name === "pair.pack") return packing(op as Op<"pair.pack">, c);
  return op.name === "st.global" || op.name === "st.shared" ? storing(op, c) : undefined;
}
