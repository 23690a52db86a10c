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

/** A caret frame for the place itself, then one for each call on the way in. Empty without spans. */
export function renderFrames(spans: Spans): string {
  return spans.map((span, i) => `\n${frame(span, i === 0 ? "" : `${span.note ?? "called from"} `)}`).join("");
}
