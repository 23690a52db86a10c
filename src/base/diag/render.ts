import { sourceLine } from "./sources.ts";
import type { Span, Spans } from "./span.ts";

const indent = "  ";

/** How much of a line is shown, and how much of it before the place. */
const widest = 240;
const lead = 80;

/** A line, and how far into it the place stands; of a long one the part around the place. */
function part(line: string, column: number): { readonly text: string; readonly at: number } {
  if (line.length <= widest) return { text: line, at: column - 1 };
  const start = Math.max(0, column - 1 - lead);
  const [before, after] = [start > 0 ? "…" : "", start + widest < line.length ? "…" : ""];
  return { text: `${before}${line.slice(start, start + widest)}${after}`, at: column - 1 - start + before.length };
}

function frame(span: Span, note: string): string {
  const head = `${indent}${note}${span.file}:${span.line}:${span.column}`;
  const line = sourceLine(span.file, span.line);
  if (line === undefined) return head;
  const { text, at } = part(line, span.column);
  const gutter = `${span.line}`;
  const before = text.slice(0, at).replace(/[^\t]/g, " ");
  const carets = "^".repeat(Math.max(1, Math.min(span.length, text.length - at)));
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
