import { arithmeticForms } from "./arithmetic.ts";
import { asyncForms } from "./async.ts";
import { controlForms } from "./control.ts";
import { dataForms } from "./data.ts";
import type { FormSpec } from "./define-forms.ts";
import { memoryForms } from "./memory.ts";
import { wgmmaForms } from "./wgmma.ts";
import { wmmaForms } from "./wmma.ts";

/** THE table of instruction forms. */
export const forms = {
  ...arithmeticForms,
  ...dataForms,
  ...memoryForms,
  ...controlForms,
  ...asyncForms,
  ...wgmmaForms,
  ...wmmaForms,
};

export type Forms = typeof forms;
export type FormName = keyof Forms;
export const formNames = Object.keys(forms) as readonly FormName[];
export const formSpec = (name: FormName): FormSpec => forms[name];
