import { defineErrors } from "../define-errors.ts";

/** W8xxx. */
export const deviceErrors = defineErrors({});
