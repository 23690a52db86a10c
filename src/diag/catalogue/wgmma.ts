import { defineErrors } from "../define-errors.ts";

/** W6xxx. */
export const wgmmaErrors = defineErrors({});
