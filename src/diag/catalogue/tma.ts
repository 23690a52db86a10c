import { defineErrors } from "../define-errors.ts";

/** W4xxx. */
export const tmaErrors = defineErrors({});
