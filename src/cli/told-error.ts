import { WarpsmithError } from "../diag/index.ts";

/** Errors from the thread that transforms files arrive as copies, without their class. */
export const isTold = (error: unknown): error is WarpsmithError =>
  error instanceof WarpsmithError || (error instanceof Error && error.name === "WarpsmithError");

/** The command line could not be read. */
export const isMistyped = (error: unknown): boolean =>
  error instanceof WarpsmithError && /^W(78\d\d|7022|7025)$/.test(error.code);

/** An error as `--json` gives it. What has no code is an exception of the author's program. */
export function errorForJson(error: unknown): object {
  if (error instanceof WarpsmithError) {
    const { code, sentence, fix, spans, message } = error;
    return { code, sentence, fix, spans, message };
  }
  const text = error instanceof Error ? error.message : String(error);
  return isTold(error) ? { code: /W\d{4}/.exec(text)?.[0], message: text } : { message: text };
}
