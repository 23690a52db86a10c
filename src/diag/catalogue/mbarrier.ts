import { defineErrors } from "../define-errors.ts";

/** W5xxx. */
export const mbarrierErrors = defineErrors({});
