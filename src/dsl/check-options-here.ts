import { checkOptions, type KnownOptions } from "../diag/index.ts";
import { describe } from "./numbers/operands.ts";
import { spansHere } from "./trace/fail-here.ts";

const here = { spans: spansHere, describe };

/** Refuses, where the author's text stands now, what is no object of those options. W2601, W2602. */
export const checkOptionsHere = (given: unknown, known: KnownOptions): void => checkOptions(given, known, here);
