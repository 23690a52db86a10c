import { renderFrames } from "./render.ts";
import type { Spans } from "./span.ts";

/**
 * What remarks are about. `R2001`: a long loop that unrolls and need not. `R2002`: a barrier of the whole block in one role. `R2003`: a kernel that writes nothing. `R6201`: a conversion of a tile that the compiler put in. `R6202`: one that the author wrote. `R6301`: ptxas does products of
 * warpgroups one after the other. `R6302`: it ignores `setmaxnreg`, or something else that costs time. `R6303`: it keeps registers in local memory.
 */
export type RemarkCode = "R2001" | "R2002" | "R2003" | "R6201" | "R6202" | "R6301" | "R6302" | "R6303";

/** What the compiler did that costs something, or what may go wrong, and is no error. */
export interface Remark {
  /**
   * What it is about: stable, `R` and four digits. Of the compiler: `R2001` is a long loop that unrolls and need not, `R2002` a barrier of the whole block
   * in one role alone, `R2003` a kernel that writes nothing; these are also printed to stderr when the kernel is compiled. `R6201` is a conversion of a tile that it put in, `R6202` one that the author wrote. Of ptxas: `R6301` is products that it does one after
   * the other, `R6302` registers of warpgroups that it ignores, `R6303` registers in local memory.
   */
  readonly code: RemarkCode;
  /** One sentence: what was done, and what it costs. */
  readonly message: string;
  /** How to do without it. */
  readonly advice: string;
  /** The author's places, innermost first: each call on the way in. */
  readonly spans: Spans;
  /** All of it, with the author's line. */
  toString(): string;
}

export const makeRemark = (code: RemarkCode, message: string, advice: string, spans: Spans): Remark => ({
  code,
  message,
  advice,
  spans,
  toString: () => `${code}  ${message}${renderFrames(spans)}\n  advice: ${advice}`,
});
