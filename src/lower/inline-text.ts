/** Where a place of inline PTX stands in the author's text. */
import { registerSource, type Span, type Spans, sourceText, WarpsmithError } from "../base/diag/index.ts";
import { inPtxAt } from "../ptx/parse/index.ts";

/** What errors call the text where the author's file does not hold it as it is. */
const textName = "inline PTX";

/** A place in the text, from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

const quotes = /["'`]/;

/** Where the text begins in the author's file, as a string behind the call's name. */
function beginning(file: string, text: string, { line, column }: Span): number | undefined {
  const lines = file.split("\n");
  const call = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
  const at = file.indexOf(text, call);
  const opening = file[at - 1] ?? "";
  const whole = at > call && quotes.test(opening) && file[at + text.length] === opening;
  return whole && !file.slice(call, at).includes(";") ? at : undefined;
}

/** The place in the string where the author's file holds it as it is; else the call, and the place in the text. */
export function placeInText(spans: Spans, text: string, place: Place): Spans {
  const [call, ...outer] = spans;
  const file = call && sourceText(call.file);
  const start = call && file !== undefined ? beginning(file, text, call) : undefined;
  if (call && file !== undefined && start !== undefined) {
    const before = text.split("\n").slice(0, place.line - 1);
    const at = start + before.reduce((n, l) => n + l.length + 1, 0) + place.column - 1;
    const above = file.slice(0, at).split("\n");
    return [{ file: call.file, line: above.length, column: (above.at(-1) ?? "").length + 1, length: place.length }, ...outer];
  }
  registerSource(textName, text);
  const inText = { file: textName, line: place.line, column: place.column, length: place.length };
  return call ? [call, { ...inText, note: inPtxAt }, ...outer] : [inText];
}

/** Reads the text; what is wrong with it is said where the author wrote it. */
export function readingText<T>(spans: Spans, text: string, read: (name: string) => T): T {
  try {
    return read(textName);
  } catch (error) {
    const [place] = error instanceof WarpsmithError ? error.spans : [];
    if (!(error instanceof WarpsmithError) || place?.file !== textName) throw error;
    throw error.at(placeInText(spans, text, place));
  }
}
