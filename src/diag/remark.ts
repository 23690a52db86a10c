import { renderFrames } from "./render.ts";
import type { Spans } from "./span.ts";

/** What remarks are about. `R6201`: a conversion of a tile that the compiler put in. `R6202`: one that the author wrote. */
export type RemarkCode = "R6201" | "R6202";

/** What the compiler did that costs something, and is no error. */
export interface Remark {
  /** What it is about: stable, `R` and four digits. `R6201` is a conversion of a tile that the compiler put in, `R6202` one that the author wrote. */
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
