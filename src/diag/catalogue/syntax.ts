import { defineErrors } from "../define-errors.ts";

/** W1xxx. */
export const syntaxErrors = defineErrors({});
