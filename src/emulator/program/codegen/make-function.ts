import { fail } from "../../errors/index.ts";

/** A function of its parameters and the text of its body. W9007 where the page forbids that. */
export function makeFunction(...parametersAndBody: readonly string[]): unknown {
  try {
    return new Function(...parametersAndBody);
  } catch (error) {
    if (error instanceof EvalError) return fail("W9007", {});
    throw error;
  }
}
