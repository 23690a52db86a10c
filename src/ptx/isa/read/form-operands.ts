import type { ReadOperandKind } from "./define-read-forms.ts";
import { type ReadFormName, readForm } from "./index.ts";

/** An operand of a form, read from the table's notation. */
export interface FormOperand {
  readonly kind: ReadOperandKind;
  /** A type of PTX, or the slot that names it; undefined: any. */
  readonly type: string | undefined;
  /** Twice as wide as that. */
  readonly twice: boolean;
  /** `must`, `may`, or there exactly where that slot has a value. */
  readonly presence: "must" | "may" | { readonly slot: string };
}

const pattern = /^([a-z]+2?)(?::(\w+)(\*2)?)?(?:(\?)(\w*))?$/;

function readOperand(text: string): FormOperand {
  const [, kind = "", type, twice, optional, slot = ""] = pattern.exec(text) ?? [];
  const presence = !optional ? "must" : slot === "" ? "may" : { slot };
  return { kind: kind as ReadOperandKind, type, twice: twice !== undefined, presence };
}

const known = new Map<ReadFormName, readonly FormOperand[]>();

export function formOperands(name: ReadFormName): readonly FormOperand[] {
  const found = known.get(name) ?? readForm(name).operands.map(readOperand);
  known.set(name, found);
  return found;
}
