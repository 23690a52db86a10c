import { sourceLine } from "./sources.ts";
import type { Span, Spans } from "./span.ts";

const pathOf = (url: string): string => (url.startsWith("file://") ? decodeURIComponent(new URL(url).pathname) : url);
/** The package's own code, as it runs and as source maps name it. */
const own = ["dist", "src"].map((folder) => pathOf(import.meta.url).replace(/\/(dist|src)\/diag\/[^/]*$/, `/${folder}/`));

/** The file as the author knows it: relative to the working directory where it lies below it. */
function shown(path: string): string {
  const here = `${globalThis.process?.cwd?.() ?? ""}/`;
  return here !== "/" && path.startsWith(here) ? path.slice(here.length) : path;
}

const wordAt = (file: string, line: number, column: number): number =>
  /^[\w$]+/.exec(sourceLine(file, line)?.slice(column - 1) ?? "")?.[0].length ?? 1;

/** The innermost call of a stack trace that stands in the author's own code; empty where there is none. */
export function authorsCall(stack: string): Spans {
  for (const frame of stack.split("\n").slice(1)) {
    const place = /\(?((?:file:\/\/)?[^\s()]+):(\d+):(\d+)\)?$/.exec(frame.trim());
    const [, url = "", lineText, columnText] = place ?? [];
    const path = pathOf(url);
    if (!place || own.some((folder) => path.startsWith(folder)) || path.startsWith("node:") || path.includes("/node_modules/"))
      continue;
    const [file, line, column] = [shown(path), Number(lineText), Number(columnText)];
    const span: Span = { file, line, column, length: wordAt(file, line, column) };
    return [span];
  }
  return [];
}
