import { type FragmentType, isWmmaInput, isWmmaSum, wmmaExists } from "../fragment-type.ts";
import { isFragment, isView, registerType, type Type, typeName } from "../types.ts";
import { operandType, operandValues, type RawOp } from "../value.ts";
import { viewRank } from "../view-types.ts";
import { defineOps } from "./define-ops.ts";

const fragmentIn = (type: Type | undefined): FragmentType | undefined => (type && isFragment(type) ? type : undefined);
const given = (op: RawOp): FragmentType | undefined => fragmentIn(op.results[0]?.type);
const listed = (op: RawOp): readonly FragmentType[] =>
  operandValues(op, "fragments").flatMap(({ type }) => fragmentIn(type) ?? []);
const elementsOf = (fragments: readonly FragmentType[]): readonly Type[] => fragments.map(({ dtype }) => registerType(dtype));

/** Is the view a matrix of that type? */
function ofView(op: RawOp, fragment: FragmentType | undefined): string | undefined {
  const view = operandType(op, "view");
  const fits = fragment && view && isView(view) && viewRank(view) === 2 && view.dtype === fragment.dtype;
  return fits ? undefined : "is about a view with two dimensions, of the type of the matrix";
}

function product(op: RawOp): string | undefined {
  const [a, b, c] = ["a", "b", "c"].map((name) => fragmentIn(operandType(op, name)));
  if (a?.use !== "a" || b?.use !== "b" || c?.use !== "c") return "takes A, B and C, in that order";
  const alike = a.shape === c.shape && b.shape === c.shape && a.dtype === b.dtype;
  const exists = isWmmaInput(a.dtype) && isWmmaSum(c.dtype) && wmmaExists(a.dtype, c.shape, c.dtype);
  return alike && exists ? undefined : `has no product of ${typeName(a)} and ${typeName(b)} in ${typeName(c)}`;
}

/** Matrices of one warp, which its threads hold in an order that is not specified. They become the operations of wmma. */
export const fragmentOps = defineOps({
  "fragment.load": {
    doc: "A matrix from memory.",
    ptx: "9.7.14.4.3",
    operands: { view: "view" },
    result: "given",
    effects: ["read.global", "read.shared"],
    participants: "warp",
    called: "a load of a warp's matrix (wmma)",
    level: "tile",
    verify: (op) => (given(op) ? ofView(op, given(op)) : "gives a matrix of a warp"),
  },
  "fragment.fill": {
    doc: "The same number everywhere.",
    operands: { value: "scalar" },
    result: "given",
    effects: [],
    level: "tile",
    verify: (op) => {
      const to = given(op);
      return to?.use === "c" && operandType(op, "value") === registerType(to.dtype)
        ? undefined
        : "gives a C or D of the type of the number";
    },
  },
  "fragment.map": {
    doc: "What the body makes of the elements at each place of matrices of one type. Which place that is, no thread knows.",
    operands: { fragments: "fragment*" },
    result: "given",
    regions: ["body"],
    flow: "function",
    body: (op) => ({ takes: elementsOf(listed(op)), gives: elementsOf(listed(op).slice(0, 1)) }),
    effects: [],
    level: "tile",
    verify: (op) => {
      const [first, ...more] = [given(op), ...listed(op)].map((t) => (t?.use === "c" ? typeName(t) : ""));
      return first && more.length > 0 && more.every((name) => name === first) ? undefined : "goes through C or D of one type";
    },
  },
  "fragment.convert": {
    doc: "The same elements in another type. Fragments of two types need not lie alike, so they go through shared memory of the warp's own.",
    ptx: "9.7.14.4.1",
    operands: { fragment: "fragment" },
    result: "given",
    effects: ["sync"],
    participants: "warp",
    called: "a conversion of a warp's matrix (wmma)",
    level: "tile",
    verify: (op) => {
      const [from, to] = [fragmentIn(operandType(op, "fragment")), given(op)];
      const fits = from?.use === "c" && to?.use === "c" && from.shape === to.shape && from.dtype !== to.dtype;
      return fits ? undefined : "makes a C or D one of another type, of the same shape";
    },
  },
  "fragment.mma": {
    doc: "C + A @ B.",
    ptx: "9.7.14.4.5",
    operands: { a: "fragment", b: "fragment", c: "fragment" },
    result: "=c",
    effects: ["sync"],
    participants: "warp",
    called: "a product of a warp (wmma)",
    level: "tile",
    verify: product,
  },
  "fragment.store": {
    doc: "A matrix to memory.",
    ptx: "9.7.14.4.4",
    operands: { fragment: "fragment", view: "view" },
    effects: ["write.global", "write.shared"],
    participants: "warp",
    called: "a store of a warp's matrix (wmma)",
    level: "tile",
    verify: (op) => {
      const fragment = fragmentIn(operandType(op, "fragment"));
      return fragment?.use === "c" ? ofView(op, fragment) : "stores a C or D";
    },
  },
});
