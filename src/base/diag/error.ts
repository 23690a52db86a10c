/// <reference lib="es2022.error" preserve="true" />
import type { Code } from "./define-errors.ts";
import { sayable } from "./display.ts";
import { renderFrames } from "./render.ts";
import type { Spans } from "./span.ts";
import { authorsCall, authorsFrames } from "./stack.ts";

/** Frames that an error keeps: those of this package come first, and are left out when somebody asks. */
const kept = 50;

/** Makes `stack` the author's frames alone. They are written down when somebody asks: with source maps that takes a millisecond. */
function keepAuthorsStack(error: Error): void {
  const capture: typeof Error.captureStackTrace | undefined = Error.captureStackTrace;
  if (!capture) return;
  const taken: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = kept;
  capture(taken, keepAuthorsStack);
  Error.stackTraceLimit = limit;
  const set = (value: unknown): void => {
    Object.defineProperty(error, "stack", { value, writable: true, enumerable: false, configurable: true });
  };
  const get = (): string => {
    const stack = `${error.name}: ${error.message}${authorsFrames(taken.stack ?? "")}`;
    set(stack);
    return stack;
  };
  Object.defineProperty(error, "stack", { get, set, enumerable: false, configurable: true });
}

/** Every error of this package. Its `stack` is that of the author: frames of this package and of Node are left out. */
export class WarpsmithError extends Error {
  static {
    Object.defineProperty(WarpsmithError.prototype, "name", { value: "WarpsmithError" });
  }
  /** Stable: `W` and four digits; documented under that name. */
  declare readonly code: Code;
  /** Innermost first: each call on the way in. */
  declare readonly spans: Spans;
  /** What to do about it. */
  declare readonly fix: string;
  /** The one sentence, without code, place and fix. */
  declare readonly sentence: string;

  constructor(code: Code, sentence: string, fix: string, spans: Spans, options?: ErrorOptions) {
    super(`${code}  ${sentence}${renderFrames(spans)}\n  fix: ${fix}`, options);
    // Not enumerable: the message says it all, and whoever prints the error would print it twice.
    for (const [key, value] of Object.entries({ code, spans, fix, sentence })) Object.defineProperty(this, key, { value });
    keepAuthorsStack(this);
  }

  /** The same error at another place. */
  at(spans: Spans): WarpsmithError {
    return remade(this, this.sentence, spans);
  }
}

function remade(error: WarpsmithError, sentence: string, spans: Spans): WarpsmithError {
  const { code, fix, cause } = error;
  const again = new WarpsmithError(code, sentence, fix, spans, cause === undefined ? undefined : { cause });
  const from = made.get(error);
  if (from && sentence === error.sentence) made.set(again, from);
  return again;
}

/** The same error with one more line. */
export const saying = (error: WarpsmithError, more: string): WarpsmithError =>
  remade(error, `${error.sentence}\n${more}`, error.spans);

/** How far up the stack the author's call is looked for: first where it nearly always is. To write a frame down takes microseconds. */
const near = 8;
const far = 40;

/** As many frames of the stack as text, the innermost that of who calls `below`. */
function stackOf(frames: number, below: () => unknown): string {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  Error.captureStackTrace?.(holder, below);
  Error.stackTraceLimit = limit;
  return holder.stack ?? "";
}

/** The author's call on the host that led here. */
export function placeOnStack(): Spans {
  const found = authorsCall(stackOf(near, placeOnStack));
  return found.length > 0 ? found : authorsCall(stackOf(far, placeOnStack));
}

/** The same, written down when somebody asks: for what may go wrong later. */
export function placeLater(): () => Spans {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = far;
  Error.captureStackTrace?.(holder, placeLater);
  Error.stackTraceLimit = limit;
  return () => authorsCall(holder.stack ?? "");
}

/** Words that begin a sentence; names, which keep their case, begin others. */
const opening =
  /^(?=(an?|the|this|these|there|nothing|only|elements?|index|byte|dimension|columns) |(thread|warp|block|lane|lanes) [\d(])./;

/** A message as a sentence of its own. */
const asSentence = (text: string): string =>
  `${text.replace(opening, (letter) => letter.toUpperCase())}${/[.!?]$|\n/.test(text) ? "" : "."}`;

/** The texts of an error. */
export interface Texts {
  readonly message: (args: unknown) => string;
  readonly fix: (args: unknown) => string;
  readonly inPtx?: Partial<Pick<Texts, "message" | "fix">>;
  readonly inLoops?: Partial<Pick<Texts, "message" | "fix">>;
}

/** What errors were made of. */
const made = new WeakMap<WarpsmithError, { readonly texts: Texts; readonly said: unknown }>();

/** The same error for who wrote CUDA C++ or PTX, and knows nothing of the objects of this package's language. */
export const inPtxWords = (error: WarpsmithError): WarpsmithError => inWords(error, "inPtx");

/** The same error for who wrote a program of loop nests, and schedules it. */
export const inLoopsWords = (error: WarpsmithError): WarpsmithError => inWords(error, "inLoops");

function inWords(error: WarpsmithError, form: "inPtx" | "inLoops"): WarpsmithError {
  const from = made.get(error);
  const others = from?.texts[form];
  if (!from || !others) return error;
  const { message = from.texts.message, fix = from.texts.fix } = others;
  const options = error.cause === undefined ? undefined : { cause: error.cause };
  return new WarpsmithError(error.code, asSentence(message(from.said)), fix(from.said), error.spans, options);
}

/** Does something for who knows nothing of this package's language: its errors are in the words of PTX. */
export function inWordsOfPtx<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof WarpsmithError ? inPtxWords(error) : error;
  }
}

/** Makes an error of its texts. Without spans it stands at the author's call that led here. */
export function errorOf(code: Code, texts: Texts, args: unknown, spans: Spans, options?: ErrorOptions): WarpsmithError {
  const said = sayable(args);
  const error = new WarpsmithError(
    code,
    asSentence(texts.message(said)),
    texts.fix(said),
    spans.length > 0 ? spans : placeOnStack(),
    options,
  );
  made.set(error, { texts, said });
  return error;
}
