import type { ScalarType } from "../types.ts";
import { operandType, operandValues, type RawOp, type Value } from "../value.ts";
import { defineOps } from "./define-ops.ts";

export const wmmaShapes = ["m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4"] as const;
export const wmmaInputs = ["f16", "bf16", "tf32", "i8", "u8", "f64"] as const;
export const wmmaSums = ["f16", "f32", "i32", "f64"] as const;
export type WmmaShape = (typeof wmmaShapes)[number];
export type WmmaInput = (typeof wmmaInputs)[number];
export type WmmaSum = (typeof wmmaSums)[number];
export type WmmaFragment = "a" | "b" | "c";

/** M, N and K of each shape. */
const extents: Readonly<Record<WmmaShape, readonly [m: number, n: number, k: number]>> = {
  m16n16k16: [16, 16, 16],
  m32n8k16: [32, 8, 16],
  m8n32k16: [8, 32, 16],
  m16n16k8: [16, 16, 8],
  m8n8k4: [8, 8, 4],
};

const inputBytes: Readonly<Record<WmmaInput, number>> = { f16: 2, bf16: 2, tf32: 4, i8: 1, u8: 1, f64: 8 };

/** The shapes that operands of a type have. */
function hasShape(type: WmmaInput, shape: WmmaShape): boolean {
  if (type === "tf32") return shape === "m16n16k8";
  return type === "f64" ? shape === "m8n8k4" : extents[shape][2] === 16;
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

/** Is there a product of that shape, of operands of that type, summed in that one? PTX ISA 9.7.14.2, 9.7.14.4. */
export const wmmaExists = (type: WmmaInput, shape: WmmaShape, sum: WmmaSum): boolean =>
  hasShape(type, shape) && sumsOf[type].includes(sum);

const repeated = (count: number, type: ScalarType): readonly ScalarType[] => Array.from({ length: count }, () => type);

/** The registers in which a thread holds its part of A or B; elements below 32 bits are packed. f16 elements are held twice. PTX ISA 9.7.14.4.1. */
export function inputRegisters(fragment: "a" | "b", shape: WmmaShape, type: WmmaInput): readonly ScalarType[] {
  const [m, n, k] = extents[shape];
  if (type === "f64") return ["f64"];
  const words = (k * (fragment === "a" ? m : n) * inputBytes[type]) / 128;
  return repeated(type === "f16" ? 8 : words, "u32");
}

/** The registers in which a thread holds its part of C or D. PTX ISA 9.7.14.4.1. */
export function sumRegisters(shape: WmmaShape, type: WmmaSum): readonly ScalarType[] {
  const [m, n] = extents[shape];
  return type === "f16" ? repeated((m * n) / 64, "u32") : repeated((m * n) / 32, type);
}

const isInput = (type: string): type is WmmaInput => (wmmaInputs as readonly string[]).includes(type);
const isSum = (type: string): type is WmmaSum => (wmmaSums as readonly string[]).includes(type);

/** The registers of a fragment that is loaded or stored; undefined where there is none of that shape and type. */
function registersOf(fragment: WmmaFragment, shape: WmmaShape, type: string): readonly ScalarType[] | undefined {
  if (fragment !== "c") return isInput(type) && hasShape(type, shape) ? inputRegisters(fragment, shape, type) : undefined;
  if (!isSum(type) || !wmmaInputs.some((input) => wmmaExists(input, shape, type))) return undefined;
  return sumRegisters(shape, type);
}

function agree(values: readonly Value[], wanted: readonly ScalarType[], what: string): string | undefined {
  if (values.length === wanted.length && values.every((v, i) => v.type === wanted[i])) return undefined;
  return `${what} ${wanted.length} registers of type ${wanted[0] ?? "?"}`;
}

function moves(op: RawOp, fragment: WmmaFragment, values: readonly Value[], verb: string): string | undefined {
  const { shape, type } = op.attrs;
  const ptr = operandType(op, "ptr");
  if (ptr !== "ptr.global" && ptr !== "ptr.shared")
    return "takes an address in global memory, or in the block's own shared memory";
  const wanted = registersOf(fragment, shape as WmmaShape, String(type));
  return wanted ? agree(values, wanted, verb) : `has no matrix of ${String(type)} of shape ${String(shape)}`;
}

function product(op: RawOp): string | undefined {
  const { shape: s, input: i, sum: d } = op.attrs;
  const [shape, input, sum] = [s as WmmaShape, i as WmmaInput, d as WmmaSum];
  if (!wmmaExists(input, shape, sum)) return `has no product of ${input} of shape ${shape} summed in ${sum}`;
  if (op.attrs.saturate === true && sum !== "i32") return "clamps integers alone";
  return (
    agree(operandValues(op, "a"), inputRegisters("a", shape, input), "takes as A") ??
    agree(operandValues(op, "b"), inputRegisters("b", shape, input), "takes as B") ??
    agree(operandValues(op, "c"), sumRegisters(shape, sum), "takes as C") ??
    agree(op.results, sumRegisters(shape, sum), "gives")
  );
}

/** How a matrix lies in memory: neighbours are in a row or in a column; the distance of two rows or columns is in elements. */
const layouts = ["row", "col"] as const;

/** Matrix products of one warp, whose fragments are opaque: which thread holds which elements is not specified. PTX ISA 9.7.14.4. */
export const wmmaOps = defineOps({
  "wmma.load": {
    doc: "Loads A, B or C of a warp's product: the registers of its fragment. `stride`: elements from one row, or column, to the next.",
    ptx: "9.7.14.4.3",
    operands: { ptr: "ptr", stride: "i32" },
    attrs: {
      fragment: ["a", "b", "c"],
      layout: layouts,
      shape: wmmaShapes,
      type: [...wmmaInputs, "f32", "i32"],
      offset: "number",
    },
    result: "given",
    effects: ["read.global", "read.shared"],
    level: "machine",
    participants: "warp",
    called: "a load of a warp's matrix (wmma)",
    verify: (op) => moves(op, op.attrs.fragment as WmmaFragment, op.results, "gives"),
  },
  "wmma.store": {
    doc: "Stores D of a warp's product. `stride`: elements from one row, or column, to the next.",
    ptx: "9.7.14.4.4",
    operands: { ptr: "ptr", stride: "i32", values: "scalar*" },
    attrs: { layout: layouts, shape: wmmaShapes, type: wmmaSums, offset: "number" },
    effects: ["write.global", "write.shared"],
    level: "machine",
    participants: "warp",
    called: "a store of a warp's matrix (wmma)",
    verify: (op) => moves(op, "c", operandValues(op, "values"), "takes"),
  },
  "wmma.mma": {
    doc: "A @ B + C of one warp, in the registers of fragments. The layouts are those that A and B were loaded with.",
    ptx: "9.7.14.4.5",
    operands: { a: "scalar*", b: "scalar*", c: "scalar*" },
    attrs: { shape: wmmaShapes, aLayout: layouts, bLayout: layouts, input: wmmaInputs, sum: wmmaSums, saturate: "boolean" },
    result: "given",
    effects: ["sync"],
    level: "machine",
    participants: "warp",
    called: "a product of a warp (wmma)",
    verify: product,
  },
});
