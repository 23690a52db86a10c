import { readArithmetic } from "./arithmetic.ts";
import { readAsync } from "./async.ts";
import { readControl } from "./control.ts";
import { readData } from "./data.ts";
import type { ReadForm } from "./define-read-forms.ts";
import { readMatrix } from "./matrix.ts";
import { readMemory } from "./memory.ts";
import { readTexture } from "./texture.ts";

export type { FormTraits, ReadForm, ReadOperand, ReadOperandKind } from "./define-read-forms.ts";

/** THE table of forms that can be read. */
export const readForms = {
  ...readArithmetic,
  ...readData,
  ...readMemory,
  ...readControl,
  ...readAsync,
  ...readMatrix,
  ...readTexture,
};

export type ReadFormName = keyof typeof readForms;
export const readFormNames = Object.keys(readForms) as readonly ReadFormName[];
export const readForm = (name: ReadFormName): ReadForm => readForms[name];

const computing: Readonly<Record<string, ReadForm>> = { ...readArithmetic, ...readData };

/** Does the form make its results of its operands alone? It touches no memory, and no other thread takes part. */
export const computes = (name: ReadFormName): boolean =>
  name in computing && !readForm(name).operands.some((operand) => operand.startsWith("addr"));
