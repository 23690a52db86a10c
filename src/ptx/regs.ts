/** Register classes. Integers and 16-bit floats live in untyped registers of their width. */
export const regClasses = ["pred", "b16", "b32", "b64", "f32", "f64"] as const;
export type RegClass = (typeof regClasses)[number];

/** A virtual register. Its name exists in print alone. */
export interface Reg {
  readonly kind: "reg";
  readonly cls: RegClass;
  readonly id: number;
}

export const reg = (cls: RegClass, id: number): Reg => ({ kind: "reg", cls, id });

const bits: Readonly<Record<RegClass, number>> = { pred: 1, b16: 16, b32: 32, b64: 64, f32: 32, f64: 64 };
const classBits = (cls: RegClass): number => bits[cls];

interface PtxType {
  readonly kind: "pred" | "bits" | "integer" | "float";
  readonly bits: number;
}

const typeTable: Readonly<Record<string, PtxType>> = {
  pred: { kind: "pred", bits: 1 },
  ...numbered("b", "bits", [8, 16, 32, 64]),
  ...numbered("u", "integer", [8, 16, 32, 64]),
  ...numbered("s", "integer", [8, 16, 32, 64]),
  ...numbered("f", "float", [32, 64]),
  f16: { kind: "bits", bits: 16 },
  bf16: { kind: "bits", bits: 16 },
  f16x2: { kind: "bits", bits: 32 },
  bf16x2: { kind: "bits", bits: 32 },
  e4m3x2: { kind: "bits", bits: 16 },
  e5m2x2: { kind: "bits", bits: 16 },
};

function numbered(prefix: string, kind: PtxType["kind"], widths: readonly number[]): Record<string, PtxType> {
  return Object.fromEntries(widths.map((w) => [`${prefix}${w}`, { kind, bits: w }]));
}

/** May a register of that class be an operand of that instruction type (PTX ISA 9.2, table 24)? 8-bit types use 16- or 32-bit registers. */
export function fitsType(cls: RegClass, type: string): boolean {
  const t = typeTable[type];
  if (t === undefined) return false;
  if (t.kind === "pred" || cls === "pred") return t.kind === "pred" && cls === "pred";
  if (t.bits === 8) return cls === "b16" || cls === "b32";
  if (classBits(cls) !== t.bits) return false;
  const isFloatClass = cls === "f32" || cls === "f64";
  return !isFloatClass || t.kind !== "integer";
}

export const isPtxType = (type: string): boolean => type in typeTable;
