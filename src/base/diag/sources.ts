import type { Span } from "./span.ts";

const texts = new Map<string, string>();
let reader: (file: string) => string | undefined = () => undefined;

/** Says how to read a source file that nobody has registered: `diag` itself imports nothing, so that it also runs in a browser. */
export function setSourceReader(read: (file: string) => string | undefined): void {
  reader = read;
}

/** Makes the text of a source file known for caret frames. */
export function registerSource(file: string, text: string): void {
  texts.set(file, text);
}

/** A name with what follows it: fields, indices, arguments. */
const chain = /^(?:new )?[\w$]+(?:\.[\w$]+|\[(?:[^[\]]|\[[^[\]]*\])*\]|\((?:[^()]|\([^()]*\))*\))*/;

/** Columns of the expression that begins at a place, as far as its text says; 1 where it cannot be read. */
export const expressionLength = (file: string, line: number, column: number): number =>
  chain.exec(sourceLine(file, line)?.slice(column - 1) ?? "")?.[0].length || 1;

/** What stands at a place, where it can be read and ends on its line. */
export const textAt = ({ file, line, column, length }: Span): string | undefined =>
  sourceLine(file, line)?.slice(column - 1, column - 1 + length);

/** The text of a source file, or undefined where it cannot be read. */
export function sourceText(file: string): string | undefined {
  const known = texts.get(file) ?? reader(file);
  if (known !== undefined) texts.set(file, known);
  return known;
}

/** A line of a source file, or undefined where the file cannot be read. */
export const sourceLine = (file: string, line: number): string | undefined =>
  sourceText(file)?.split("\n", line)[line - 1]?.replace(/\r$/, "");
