/** What the command prints: colours where a terminal shows them, and progress that disappears. */
import { styleText } from "node:util";

type Stream = NodeJS.WriteStream;
type Format = Parameters<typeof styleText>[0];

/** Whether colours are wanted there: on terminals, unless NO_COLOR, FORCE_COLOR or NODE_DISABLE_COLORS say otherwise. */
function colours(stream: Stream): boolean {
  const { NO_COLOR, FORCE_COLOR, NODE_DISABLE_COLORS } = process.env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR || NODE_DISABLE_COLORS) return false;
  return stream.isTTY === true && stream.hasColors();
}

/** The text in that format, where the stream shows colours. */
export const styled = (stream: Stream, format: Format, text: string): string =>
  colours(stream) ? styleText(format, text, { validateStream: false }) : text;

const parts: readonly (readonly [line: RegExp, format: Format])[] = [
  [/^(\s*)(W\d{4})(?= {2})/, "red"],
  [/^(\s*)(warning W\d{4})(?= {2})/, "yellow"],
  [/^(\s*\|\s*)(\^+)$/, "red"],
  [/^(\s*)(fix:)/, "green"],
  [/^(\s+(?:[A-Za-z ]+ )?)([^\s|][^|]*:\d+:\d+)$/, "cyan"],
  [/^(\s+)(\d+ \|)/, "dim"],
];

function styledLine(line: string): string {
  for (const [pattern, format] of parts) {
    const found = pattern.exec(line);
    if (!found) continue;
    const [whole, before = "", part = ""] = found;
    return before + styleText(format, part, { validateStream: false }) + line.slice(whole.length);
  }
  return line;
}

/** An error of the package as text for that stream: its code, its caret and its fix stand out. */
export const styledError = (stream: Stream, message: string): string =>
  colours(stream) ? message.split("\n").map(styledLine).join("\n") : message;

/** As JSON has no such values: bigints, and numbers that are not finite, as text. */
const forJson = (_: string, value: unknown): unknown =>
  typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value;

export const json = (value: unknown): string => JSON.stringify(value, forJson);

/** A remark or a warning as a line of JSON. */
export const warningAsJson = (said: { readonly code: string }): string =>
  json(said.code.startsWith("W") ? { warning: said } : { remark: said });
