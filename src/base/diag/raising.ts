/** How a room raises the errors that its `errors.ts` declares. */
import type { Code, ErrorArgs } from "./define-errors.ts";
import { errorOf, type Texts, type WarpsmithError } from "./error.ts";
import type { Spans } from "./span.ts";

/** Makes the error of that code. Without spans it stands at the author's call that led here. */
export type MakeError<T> = <K extends keyof T & Code>(
  code: K,
  args: ErrorArgs<T, K>,
  spans?: Spans,
  options?: ErrorOptions,
) => WarpsmithError;

/** Throws the error of that code. */
export type Fail<T> = <K extends keyof T & Code>(code: K, args: ErrorArgs<T, K>, spans?: Spans, options?: ErrorOptions) => never;

/** `makeError` and `fail` for the codes of a table. */
export function raising<T>(errors: T): { readonly makeError: MakeError<T>; readonly fail: Fail<T> } {
  const makeError: MakeError<T> = (code, args, spans = [], options) => errorOf(code, errors[code] as Texts, args, spans, options);
  return {
    makeError,
    fail: (...given) => {
      throw makeError(...given);
    },
  };
}
