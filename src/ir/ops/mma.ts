import {
  hasDepth,
  type MmaDepth,
  type MmaInput,
  type MmaSum,
  mmaDepths,
  mmaExists,
  mmaInputs,
  mmaRegisters,
  mmaSumRegisters,
  mmaSums,
} from "../mma-shapes.ts";
import type { ScalarType } from "../types.ts";
import { operandValues, type RawOp, type Value } from "../value.ts";
import { defineOps } from "./define-ops.ts";

/** What is wrong with the types of registers, if anything is. */
export function agree(values: readonly Value[], wanted: readonly ScalarType[], what: string): string | undefined {
  if (values.length === wanted.length && values.every((v, i) => v.type === wanted[i])) return undefined;
  return `${what} ${wanted.length} registers of type ${wanted[0] ?? "?"}`;
}

function product(op: RawOp): string | undefined {
  const [a, b, sum] = [op.attrs.aType as MmaInput, op.attrs.bType as MmaInput, op.attrs.sum as MmaSum];
  const depth = op.attrs.k as MmaDepth;
  if (!mmaExists(a, b, sum) || !hasDepth(a, depth)) return `has no product of ${a} and ${b}, K ${depth}, summed in ${sum}`;
  return (
    agree(operandValues(op, "a"), mmaRegisters("A", a, depth), "takes as A") ??
    agree(operandValues(op, "b"), mmaRegisters("B", b, depth), "takes as B") ??
    agree(operandValues(op, "c"), mmaSumRegisters(sum), "takes as C") ??
    agree(op.results, mmaSumRegisters(sum), "gives")
  );
}

/** Products of one warp whose fragments lie as the manual says. PTX ISA 9.7.14.5. */
export const mmaOps = defineOps({
  "mma.sync": {
    doc: "A @ B + C of one warp, m16n8kK: A by rows, B by columns, in the registers that the manual says.",
    ptx: "9.7.14.5.14",
    operands: { a: "scalar*", b: "scalar*", c: "scalar*" },
    attrs: { k: mmaDepths, aType: mmaInputs, bType: mmaInputs, sum: mmaSums },
    result: "given",
    effects: ["sync"],
    level: "machine",
    participants: "warp",
    called: "a product of a warp (mma.sync)",
    verify: product,
  },
});
