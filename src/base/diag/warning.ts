import type { Code } from "./define-errors.ts";
import type { WarpsmithError } from "./error.ts";
import type { Spans } from "./span.ts";

/**
 * What the emulator's checks warn of: what the PTX ISA does not promise, although today's hardware lets it pass. The launch succeeds. Under `check: "strict"` the same
 * is an error.
 */
export interface Warning {
  /** That of the error: `W` and four digits, documented under that name. */
  readonly code: Code;
  /** What is not promised, with the kernel's names. */
  readonly sentence: string;
  /** What to write. */
  readonly fix: string;
  /** The author's places, innermost first; one with a `note` is another place that has to do with it. */
  readonly spans: Spans;
  /** All of it, with the author's lines. */
  readonly message: string;
  /** The same behind the word `warning`. */
  toString(): string;
}

/** A report as a warning. */
export const warningOf = ({ code, sentence, fix, spans, message }: WarpsmithError): Warning => ({
  ...{ code, sentence, fix, spans, message },
  toString: () => `warning ${message}`,
});
