import {
  fragmentRegisters,
  inputRegisters,
  sumRegisters,
  type WmmaFragment,
  type WmmaInput,
  type WmmaShape,
  type WmmaSum,
  wmmaExists,
  wmmaInputs,
  wmmaShapes,
  wmmaSums,
} from "../fragment-type.ts";
import { operandType, operandValues, type RawOp, type Value } from "../value.ts";
import { defineOps } from "./define-ops.ts";
import { agree } from "./mma.ts";

function moves(op: RawOp, fragment: WmmaFragment, values: readonly Value[], verb: string): string | undefined {
  const { shape, type } = op.attrs;
  const ptr = operandType(op, "ptr");
  if (ptr !== "ptr.global" && ptr !== "ptr.shared")
    return "takes an address in global memory, or in the block's own shared memory";
  const wanted = fragmentRegisters(fragment, shape as WmmaShape, String(type));
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
