import { defineErrors } from "../define-errors.ts";

/** W7xxx. */
export const hostErrors = defineErrors({});
