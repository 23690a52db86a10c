/** Numbers that the author gave to inline PTX as operands: they stand there themselves, as the instruction's type has them. */
import type { Literal } from "../ir/index.ts";
import { type Immediate, type Instruction, type Operand, type Scalar, slotType } from "../ptx/parse/index.ts";

const view = new DataView(new ArrayBuffer(8));

function float(value: number, type: "f32" | "f64"): Immediate {
  if (type === "f32") view.setFloat32(0, value);
  else view.setFloat64(0, value);
  const bits = type === "f32" ? BigInt(view.getUint32(0)) : view.getBigUint64(0);
  return { kind: "float", type, bits, value: type === "f32" ? Math.fround(value) : value };
}

/** A number before its instruction says of which type it is. */
export function literalFrom(value: Literal): Immediate {
  if (typeof value === "number" && !(Number.isInteger(value) && !Object.is(value, -0))) return float(value, "f64");
  return { kind: "int", value: BigInt(value) };
}

type SlotType = ReturnType<typeof slotType>;

/** The number as that type; undefined where that does not hold it. */
function asType(number: Immediate, type: SlotType): Immediate | undefined {
  if (type === undefined) return number.kind === "int" ? number : undefined;
  if (type.kind === "float") {
    if (type.name !== "f32" && type.name !== "f64") return undefined;
    return float(number.kind === "int" ? Number(number.value) : number.value, type.name);
  }
  if (number.kind !== "int" || type.lanes > 1) return undefined;
  if (type.kind === "predicate") return number.value === 0n || number.value === 1n ? number : undefined;
  const bits = BigInt(type.bits);
  return number.value >= -(1n << (bits - 1n)) && number.value < 1n << bits ? number : undefined;
}

/** The instruction with those numbers as its types have them. `refuse`: a type does not hold one. */
export function withLiterals(
  i: Instruction,
  names: ReadonlyMap<Immediate, string>,
  refuse: (name: string, value: string, type: string) => never,
): Instruction {
  if (names.size === 0) return i;
  const number = (o: Immediate, type: SlotType): Immediate => {
    const name = names.get(o);
    if (name === undefined) return o;
    return asType(o, type) ?? refuse(name, String(o.value), type?.name ?? "an integer");
  };
  const scalar = (o: Scalar, type: SlotType): Scalar => (o.kind === "int" || o.kind === "float" ? number(o, type) : o);
  const operands = i.operands.map((o, at): Operand | undefined => {
    const type = slotType(i, at);
    if (o?.kind === "int" || o?.kind === "float") return number(o, type);
    return o?.kind === "vector" ? { ...o, items: o.items.map((item) => scalar(item, type)) } : o;
  });
  return { ...i, operands };
}
