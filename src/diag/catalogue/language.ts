import { defineErrors } from "../define-errors.ts";

/** W2xxx. */
export const languageErrors = defineErrors({});
