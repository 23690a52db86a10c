import type { PtxType } from "./tree.ts";

interface Traits {
  readonly kind: "pred" | "bits" | "integer" | "float";
  readonly bits: number;
}
const numbered = (prefix: string, kind: Traits["kind"], widths: readonly number[]): [string, Traits][] =>
  widths.map((bits) => [`${prefix}${bits}`, { kind, bits }]);
const packed = (names: readonly string[], bits: number): [string, Traits][] =>
  names.map((name) => [name, { kind: "bits", bits }]);

/** Types of registers, variables and instructions (PTX ISA 5.2). Packed and half types are bits: registers .b16 and .b32 hold them. */
const traits: ReadonlyMap<string, Traits> = new Map([
  ["pred", { kind: "pred", bits: 1 }] as [string, Traits],
  ...numbered("b", "bits", [8, 16, 32, 64, 128]),
  ...numbered("u", "integer", [8, 16, 32, 64]),
  ...numbered("s", "integer", [8, 16, 32, 64]),
  ...numbered("f", "float", [32, 64]),
  ...packed(["f16", "bf16", "e4m3x2", "e5m2x2"], 16),
  ...packed(["f16x2", "bf16x2", "u16x2", "s16x2", "tf32"], 32),
]);

const declarable = new Set("pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64".split(" "));
/** The type of a directive such as `.b32`, for registers and variables. */
export const typeOfDirective = (directive: string): PtxType | undefined =>
  declarable.has(directive.slice(1)) ? (directive.slice(1) as PtxType) : undefined;

/** In bytes; a predicate has none. */
export const sizeOfType = (type: PtxType): number => (traits.get(type)?.bits ?? 0) >> 3;

/** Twice as wide: `u32` → `u64`. */
export const doubled = (type: string): string => `${type[0]}${2 * Number(type.slice(1))}`;

/** May a register of type `register` be an operand of instruction type `type` (PTX ISA 9.2)? Where `wide`, it may be wider (9.4.1). */
export function fitsRegister(register: PtxType, type: string, wide: boolean): boolean {
  if (register === type) return true;
  const r = traits.get(register);
  const t = traits.get(type);
  if (!r || !t) return false;
  if (r.kind === "pred" || t.kind === "pred") return false;
  const sameSize = r.bits === t.bits || ((wide || t.bits === 8) && r.bits > t.bits);
  const clash = (r.kind === "float" && t.kind === "integer") || (r.kind === "integer" && t.kind === "float");
  return sameSize && !clash;
}
