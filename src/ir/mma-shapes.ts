/** Products of a warp whose fragments are laid out as the manual says (PTX `mma.sync`, m16n8). PTX ISA 9.7.14.2, 9.7.14.5. */

import { elementBytes } from "../base/element-types.ts";

export const mmaInputs = ["f16", "bf16", "tf32", "e4m3", "e5m2", "i8", "u8", "f64"] as const;
export const mmaSums = ["f16", "f32", "i32", "f64"] as const;
export const mmaDepths = [4, 8, 16, 32] as const;
export type MmaInput = (typeof mmaInputs)[number];
export type MmaSum = (typeof mmaSums)[number];
export type MmaDepth = (typeof mmaDepths)[number];

/** K of the instructions that there are for operands of a type, the greatest first. */
const depths: Readonly<Record<MmaInput, readonly MmaDepth[]>> = {
  f16: [16, 8],
  bf16: [16, 8],
  tf32: [8, 4],
  e4m3: [32],
  e5m2: [32],
  i8: [32, 16],
  u8: [32, 16],
  f64: [16, 8, 4],
};

const sums: Readonly<Record<MmaInput, readonly MmaSum[]>> = {
  f16: ["f32", "f16"],
  bf16: ["f32"],
  tf32: ["f32"],
  e4m3: ["f32"],
  e5m2: ["f32"],
  i8: ["i32"],
  u8: ["i32"],
  f64: ["f64"],
};

/** Types that meet in one product: bytes with and without a sign, and both 8-bit floats. */
const family = (type: MmaInput): string => (elementBytes[type] === 1 ? (type[0] === "e" ? "fp8" : "bytes") : type);

export const isMmaInput = (type: string): type is MmaInput => (mmaInputs as readonly string[]).includes(type);
export const isMmaSum = (type: string): type is MmaSum => (mmaSums as readonly string[]).includes(type);

/** Are there products of operands of these types, summed in that one? */
export const mmaExists = (a: MmaInput, b: MmaInput, sum: MmaSum): boolean => family(a) === family(b) && sums[a].includes(sum);

/** The greatest K of an instruction that divides this one; undefined where none does. */
export const mmaDepth = (type: MmaInput, k: number): MmaDepth | undefined => depths[type].find((depth) => k % depth === 0);

/** Whether there is an instruction of that K. */
export const hasDepth = (type: MmaInput, depth: MmaDepth): boolean => depths[type].includes(depth);

/** Neighbours along K that a lane holds of an operand, in one register. */
export const mmaWidth = (type: MmaInput): 1 | 2 | 4 => (elementBytes[type] === 8 ? 1 : ((4 / elementBytes[type]) as 1 | 2 | 4));

/** The registers of A and B of one instruction: words of 32 bits, and f64. */
export function mmaRegisters(operand: "A" | "B", type: MmaInput, depth: MmaDepth): readonly ("u32" | "f64")[] {
  const count = ((operand === "A" ? 16 : 8) * depth) / 32 / mmaWidth(type);
  return Array.from({ length: count }, () => (type === "f64" ? "f64" : "u32"));
}

/** The registers of C and D of one instruction: four elements, those of f16 two to a word. */
export const mmaSumRegisters = (sum: MmaSum): readonly ("u32" | "f32" | "i32" | "f64")[] =>
  sum === "f16" ? ["u32", "u32"] : [sum, sum, sum, sum];
