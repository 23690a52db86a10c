import { defineErrors } from "../define-errors.ts";

/** W3xxx. */
export const memoryErrors = defineErrors({});
