import { isPointer, isScalar, type Type, typeName } from "../types.ts";
import { operandValues, type RawOp } from "../value.ts";
import { defineOps } from "./define-ops.ts";

const isTaken = (type: Type): boolean => isScalar(type) || isPointer(type);

function takesRegisters(op: RawOp): string | undefined {
  const values = operandValues(op, "values");
  const wrong = [...values, ...op.results].find(({ type }) => !isTaken(type));
  if (wrong) return `takes and gives scalars and addresses, not ${typeName(wrong.type)}`;
  const { literals } = op.attrs;
  const bad = (literals as readonly number[]).find((at) => values[at] === undefined);
  return bad === undefined ? undefined : `has no operand ${bad}, which should be a literal`;
}

const text = {
  operands: { values: "any but acc*" },
  attrs: { text: "string", literals: "number[]" },
  result: "given",
  verify: takesRegisters,
} as const;
/** Labels to go back to, barriers, and waits. */
const mayWait = /\b(bra|bar|barrier|griddepcontrol\.wait|mbarrier\.(test|try)_wait)\b/;

const anything = {
  ...text,
  waits: ({ attrs }: RawOp) => (mayWait.test(String(attrs.text)) ? ({ until: "text" } as const) : undefined),
  effects: ["read.global", "write.global", "read.shared", "write.shared", "read.barrier", "write.barrier", "sync", "io"],
} as const;

const names = "`$0`, `$1`, … are the results, then the values; of those in `literals` the constants stand there themselves.";

/** Instructions that the author wrote as PTX. What they are is known where PTX is: to passes they are their effects. */
export const ptxOps = defineOps({
  "ptx.inline": { doc: `PTX of the author's, which may do anything that one thread can do. ${names}`, ...anything },
  "ptx.sync": {
    doc: "The same, with instructions that all lanes of a warp run together: `.aligned`, barriers, `.sync` with a mask of all.",
    ...anything,
    participants: "warp",
    called: "a text of PTX (ptx) that lanes run together",
  },
  "ptx.pure": {
    doc: "The same, of instructions that only compute: it may be merged, moved and removed.",
    ...text,
    effects: [],
    cost: "expensive",
  },
});
