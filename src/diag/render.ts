import { sourceLine } from "./sources.ts";
import type { Span, Spans } from "./span.ts";

const indent = "  ";

function frame(span: Span, note: string): string {
  const head = `${indent}${note}${span.file}:${span.line}:${span.column}`;
  const text = sourceLine(span.file, span.line);
  if (text === undefined) return head;
  const gutter = `${span.line}`;
  const before = text.slice(0, span.column - 1).replace(/[^\t]/g, " ");
  const carets = "^".repeat(Math.max(1, Math.min(span.length, text.length - span.column + 1)));
  return `${head}\n${indent}${gutter} | ${text}\n${indent}${" ".repeat(gutter.length)} | ${before}${carets}`;
}

/** What is shown of a deep chain of calls: the innermost and the outermost. */
const innermost = 4;
const outermost = 3;

/** A caret frame for the place itself, then one for each call on the way in, the middle of a deep chain left out. Empty without spans. */
export function renderFrames(spans: Spans): string {
  if (spans.length > innermost + outermost + 1) {
    const between = `\n${indent}… ${spans.length - innermost - outermost} more …`;
    return frames(spans.slice(0, innermost), true) + between + frames(spans.slice(-outermost), false);
  }
  return frames(spans, true);
}

function frames(spans: Spans, fromInside: boolean): string {
  return spans.map((span, i) => `\n${frame(span, fromInside && i === 0 ? "" : `${span.note ?? "called from"} `)}`).join("");
}
