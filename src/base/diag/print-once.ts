import type { Spans } from "./span.ts";

/** A remark, or a warning. */
interface Said {
  readonly code: string;
  readonly spans: Spans;
  toString(): string;
}

/** What was printed, by codes and places. */
const printed = new Set<string>();

let asText: (said: Said) => string = String;

/** Says how remarks and warnings are printed from now on, such as in JSON; gives what takes it back. */
export function printAs(text: (said: Said) => string): () => void {
  const before = asText;
  asText = text;
  return () => {
    asText = before;
  };
}

/** Prints a remark or a warning to stderr, unless this process has printed that one of these places before. */
export function printOnce(said: Said): void {
  const key = [said.code, ...said.spans.map(({ file, line, column }) => `${file}:${line}:${column}`)].join(" ");
  if (printed.has(key)) return;
  printed.add(key);
  console.error(asText(said));
}
