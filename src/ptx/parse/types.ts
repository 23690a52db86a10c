/** Types of PTX (ISA 5.2) as data: of registers, variables, instructions and elements of matrices. Each is one object: compare by identity. */
import { type ReadFormName, readForm } from "../isa/read/index.ts";

/** The types of PTX (ISA 5.2); of registers and variables only those without a packing. */
export type PtxType =
  | "pred"
  | `b${8 | 16 | 32 | 64 | 128}`
  | `u${8 | 16 | 32 | 64}`
  | `s${8 | 16 | 32 | 64}`
  | "f16"
  | "f16x2"
  | "bf16"
  | "bf16x2"
  | "f32"
  | "f64";

export interface DataType {
  /** As written, without its dot. */
  readonly name: string;
  /** Of packed types: of each number. */
  readonly kind: "predicate" | "bits" | "signed" | "unsigned" | "float";
  /** Of all of it. */
  readonly bits: number;
  /** Numbers that are packed in it. */
  readonly lanes: number;
  /** Of one of them, where there are several. */
  readonly element: DataType | undefined;
}

const all = new Map<string, DataType>();

function scalar(name: string, kind: DataType["kind"], bits: number): DataType {
  const type: DataType = { name, kind, bits, lanes: 1, element: undefined };
  all.set(name, type);
  return type;
}
const numbered = (letter: string, kind: DataType["kind"], widths: readonly number[]): void => {
  for (const bits of widths) scalar(`${letter}${bits}`, kind, bits);
};
function pair(element: DataType): void {
  const name = `${element.name}x2`;
  all.set(name, { name, kind: element.kind, bits: 2 * element.bits, lanes: 2, element });
}

export const pred = scalar("pred", "predicate", 1);
export const b16 = scalar("b16", "bits", 16);
export const b32 = scalar("b32", "bits", 32);
export const b64 = scalar("b64", "bits", 64);
export const b128 = scalar("b128", "bits", 128);
export const u8 = scalar("u8", "unsigned", 8);
export const u16 = scalar("u16", "unsigned", 16);
export const u32 = scalar("u32", "unsigned", 32);
export const u64 = scalar("u64", "unsigned", 64);
const s16 = scalar("s16", "signed", 16);
export const f16 = scalar("f16", "float", 16);
export const bf16 = scalar("bf16", "float", 16);
export const f32 = scalar("f32", "float", 32);
export const f64 = scalar("f64", "float", 64);
numbered("b", "bits", [1, 8, 1024]);
numbered("u", "unsigned", [2, 4]);
numbered("s", "signed", [2, 4, 8, 32, 64]);
scalar("tf32", "float", 32);
for (const element of [f16, bf16, u16, s16, scalar("e4m3", "float", 8), scalar("e5m2", "float", 8)]) pair(element);

export const typeNamed = (name: string): DataType | undefined => all.get(name);

const declarable = new Set("pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64".split(" "));
/** The type of a directive such as `.b32`, for registers and variables. */
export const typeOfDirective = (directive: string): PtxType | undefined =>
  declarable.has(directive.slice(1)) ? (directive.slice(1) as PtxType) : undefined;

/** Of a register or variable. */
export const dataType = (type: PtxType): DataType => all.get(type) ?? b32;

/** In bytes; a predicate has none. */
export const sizeOfType = (type: PtxType): number => dataType(type).bits >> 3;

/** Twice as wide: `u32` → `u64`. */
export function doubled(type: DataType): DataType {
  const wide = [...all.values()].find((t) => t.kind === type.kind && t.bits === 2 * type.bits && t.lanes === 1);
  return wide ?? type;
}

/** What counts in Table 26 (PTX ISA 9.2): registers of .b16 and .b32 hold all floats but f32 and f64, and all that is packed. */
function registerKind({ kind, bits, lanes, name }: DataType): "predicate" | "bits" | "integer" | "float" {
  if (kind === "predicate" || kind === "bits") return kind;
  if (lanes > 1 || bits < 8) return "bits";
  if (kind === "float") return bits >= 32 && name !== "tf32" ? "float" : "bits";
  return "integer";
}

const fitting = { narrow: new Map<DataType, Map<PtxType, boolean>>(), wide: new Map<DataType, Map<PtxType, boolean>>() };

/** May a register of type `register` be an operand of instruction type `type` (PTX ISA 9.2)? Where `wide`, it may be wider (9.4.1). */
export function fitsRegister(register: PtxType, type: DataType, wide: boolean): boolean {
  if (register === type.name) return true;
  const byType = wide ? fitting.wide : fitting.narrow;
  let known = byType.get(type);
  if (!known) {
    known = new Map();
    byType.set(type, known);
  }
  let fits = known.get(register);
  if (fits === undefined) {
    fits = mayHold(register, type, wide);
    known.set(register, fits);
  }
  return fits;
}

function mayHold(register: PtxType, type: DataType, wide: boolean): boolean {
  const r = dataType(register);
  const [kind, wanted] = [registerKind(r), registerKind(type)];
  if (kind === "predicate" || wanted === "predicate") return false;
  const sameSize = r.bits === type.bits || ((wide || type.bits === 8) && r.bits > type.bits);
  const clash = (kind === "float" && wanted === "integer") || (kind === "integer" && wanted === "float");
  return sameSize && !clash;
}

const slotsByForm = new Map<ReadFormName, readonly string[]>();

/** The slots of a form whose values are types. */
function typeSlots(form: ReadFormName): readonly string[] {
  const slots = Object.entries(readForm(form).modifiers ?? {});
  const found =
    slotsByForm.get(form) ?? slots.filter(([, values]) => values.every((v) => v === "" || all.has(v))).map(([slot]) => slot);
  slotsByForm.set(form, found);
  return found;
}

/** The types among the values of a form's slots. */
export function typesIn(
  form: ReadFormName,
  modifiers: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, DataType>> {
  const types: Record<string, DataType> = {};
  for (const slot of typeSlots(form)) {
    const type = typeNamed(modifiers[slot] ?? "");
    if (type) types[slot] = type;
  }
  return types;
}
