/**
 * Requires: nothing. Ensures: none of the product's loops has one iteration. IREE canonicalises and looks for common subexpressions here:
 * each step of a schedule leaves its indices as short as they are known to be, and the level below finds what is computed twice.
 */
import { dropSingleTrips, type PipelinePass } from "../working.ts";

export const canonicalise: PipelinePass = { name: "canonicalise", run: dropSingleTrips };
