import { elementBytes } from "../base/element-types.ts";
import type { DType } from "../base/types.ts";

/** Matrices of one warp (PTX `wmma`): which there are, and their type on the tile level. PTX ISA 9.7.14.2, 9.7.14.4. */

export const wmmaShapes = ["m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4"] as const;
export const wmmaInputs = ["f16", "bf16", "tf32", "i8", "u8", "f64"] as const;
export const wmmaSums = ["f16", "f32", "i32", "f64"] as const;
export type WmmaShape = (typeof wmmaShapes)[number];
export type WmmaInput = (typeof wmmaInputs)[number];
export type WmmaSum = (typeof wmmaSums)[number];
export type WmmaFragment = "a" | "b" | "c";

/** M, N and K of each shape. */
const wmmaExtents: Readonly<Record<WmmaShape, readonly [m: number, n: number, k: number]>> = {
  m16n16k16: [16, 16, 16],
  m32n8k16: [32, 8, 16],
  m8n32k16: [8, 32, 16],
  m16n16k8: [16, 16, 8],
  m8n8k4: [8, 8, 4],
};

/** The shapes that operands of a type have. */
function hasShape(type: WmmaInput, shape: WmmaShape): boolean {
  if (type === "tf32") return shape === "m16n16k8";
  return type === "f64" ? shape === "m8n8k4" : wmmaExtents[shape][2] === 16;
}

/** The types that products of such operands are summed in. */
const sumsOf: Readonly<Record<WmmaInput, readonly WmmaSum[]>> = {
  f16: ["f16", "f32"],
  bf16: ["f32"],
  tf32: ["f32"],
  i8: ["i32"],
  u8: ["i32"],
  f64: ["f64"],
};

/** Is there a product of that shape, of operands of that type, summed in that one? */
export const wmmaExists = (type: WmmaInput, shape: WmmaShape, sum: WmmaSum): boolean =>
  hasShape(type, shape) && sumsOf[type].includes(sum);

export const isWmmaInput = (type: string): type is WmmaInput => (wmmaInputs as readonly string[]).includes(type);
export const isWmmaSum = (type: string): type is WmmaSum => (wmmaSums as readonly string[]).includes(type);
export const isWmmaShape = (shape: string): shape is WmmaShape => (wmmaShapes as readonly string[]).includes(shape);

/** Are there matrices of that type in that place of a product of that shape? */
export function wmmaHas(use: WmmaFragment, shape: WmmaShape, type: string): boolean {
  if (use !== "c") return isWmmaInput(type) && hasShape(type, shape);
  return isWmmaSum(type) && wmmaInputs.some((input) => wmmaExists(input, shape, type));
}

/** The types of registers that hold fragments: elements below 32 bits, and tf32, are packed in u32. */
export type FragmentRegister = "u32" | "f32" | "i32" | "f64";

const repeated = (count: number, type: FragmentRegister): readonly FragmentRegister[] =>
  Array.from({ length: count }, () => type);

/** The registers in which a thread holds its part of A or B; elements below 32 bits are packed. f16 elements are held twice. PTX ISA 9.7.14.4.1. */
export function inputRegisters(fragment: "a" | "b", shape: WmmaShape, type: WmmaInput): readonly FragmentRegister[] {
  const [m, n, k] = wmmaExtents[shape];
  if (type === "f64") return ["f64"];
  const words = (k * (fragment === "a" ? m : n) * elementBytes[type]) / 128;
  return repeated(type === "f16" ? 8 : words, "u32");
}

/** The registers in which a thread holds its part of C or D. PTX ISA 9.7.14.4.1. */
export function sumRegisters(shape: WmmaShape, type: WmmaSum): readonly FragmentRegister[] {
  const [m, n] = wmmaExtents[shape];
  return type === "f16" ? repeated((m * n) / 64, "u32") : repeated((m * n) / 32, type);
}

/** The registers of a fragment that is loaded or stored; undefined where there is none of that shape and type. */
export function fragmentRegisters(
  fragment: WmmaFragment,
  shape: WmmaShape,
  type: string,
): readonly FragmentRegister[] | undefined {
  if (!wmmaHas(fragment, shape, type)) return undefined;
  if (fragment !== "c") return isWmmaInput(type) ? inputRegisters(fragment, shape, type) : undefined;
  return isWmmaSum(type) ? sumRegisters(shape, type) : undefined;
}

/** One of the matrices of a warp's product: `use` says which. `major`: how A and B lay in memory. */
export interface FragmentType {
  readonly kind: "fragment";
  readonly use: WmmaFragment;
  readonly dtype: DType;
  readonly shape: WmmaShape;
  readonly major: "row" | "col" | undefined;
}

/** Rows and columns of it. */
export function fragmentExtents({ use, shape }: Pick<FragmentType, "use" | "shape">): readonly [rows: number, cols: number] {
  const [m, n, k] = wmmaExtents[shape];
  return use === "c" ? [m, n] : use === "a" ? [m, k] : [k, n];
}

/** As printed between the quotes: `a f16 m16n16k16 row`, `c f32 m16n16k16`. */
export const fragmentText = ({ use, dtype, shape, major }: FragmentType): string =>
  `${use} ${dtype} ${shape}${major === undefined ? "" : ` ${major}`}`;

export function readFragment(text: string): FragmentType | undefined {
  const [, use, dtype = "", shape = "", major] = /^([abc]) (\w+) (m\d+n\d+k\d+)(?: (row|col))?$/.exec(text) ?? [];
  if (use === undefined || !isWmmaShape(shape) || !wmmaHas(use as WmmaFragment, shape, dtype)) return undefined;
  return {
    kind: "fragment",
    use: use as WmmaFragment,
    dtype: dtype as DType,
    shape,
    major: major as "row" | "col" | undefined,
  };
}
