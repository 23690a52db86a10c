import { codeFolders } from "../own-files.ts";
import { sourceLine } from "./sources.ts";
import type { Span, Spans } from "./span.ts";

const pathOf = (url: string): string => (url.startsWith("file://") ? decodeURIComponent(new URL(url).pathname) : url);
/** The package's own code, as it runs and as source maps name it. */
const own = codeFolders.map(pathOf);

/** The file as the author knows it: relative to the working directory where it lies below it. */
function shown(path: string): string {
  const here = `${globalThis.process?.cwd?.() ?? ""}/`;
  return here !== "/" && path.startsWith(here) ? path.slice(here.length) : path;
}

const wordAt = (file: string, line: number, column: number): number =>
  /^[\w$]+/.exec(sourceLine(file, line)?.slice(column - 1) ?? "")?.[0].length ?? 1;

/** A frame of a stack trace: where it stands, undefined where that is no file, as in `at Array.map (<anonymous>)`. */
function placeOf(frame: string): { readonly path: string; readonly line: number; readonly column: number } | undefined {
  // Of a path that begins at a root, all counts: folders have spaces and parentheses in their names. A frame of `eval` names two places.
  const whole = /^at (?:async )?(?:.*? \()?((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)\)?$/;
  const word = /\(?([^\s()]+):(\d+):(\d+)\)?$/;
  const text = frame.trim();
  const [, url = "", line, column] = (text.includes("(eval at ") ? null : whole.exec(text)) ?? word.exec(text) ?? [];
  return url === "" ? undefined : { path: pathOf(url), line: Number(line), column: Number(column) };
}

const isOwn = (path: string): boolean => own.some((folder) => path.startsWith(folder)) || path.startsWith("node:");

/** Whether a file, as the author knows it, is one of this package. */
export const isOwnFile = (file: string): boolean =>
  isOwn(file.startsWith("/") ? file : `${globalThis.process?.cwd?.() ?? ""}/${file}`);

/** What the transform is made of: where a file is refused, its frames say nothing of the file. */
const ofTransform = /\/node_modules\/(ts-morph|@ts-morph)\//;

/** What compilers make of `using` and of decorators: functions of theirs in the author's file. */
const helpers = /^\s*at (?:\w+\.)*_+(?:addDisposableResource|using(?:Ctx)?|esDecorate|applyDecs\w*)\d* /;

/** The frames of a stack trace without those of this package and of Node, as lines of their own; empty where none is left. */
export function authorsFrames(stack: string): string {
  const frames = stack.split("\n").filter((line) => {
    const place = /^\s*at /.test(line) ? placeOf(line) : undefined;
    return place && !isOwn(place.path) && !ofTransform.test(place.path) && !helpers.test(line);
  });
  return frames.map((frame) => `\n${frame}`).join("");
}

/** The innermost call of a stack trace that stands in the author's own code; empty where there is none. */
export function authorsCall(stack: string): Spans {
  for (const frame of stack.split("\n").slice(1)) {
    const place = placeOf(frame);
    if (!place || isOwn(place.path) || place.path.includes("/node_modules/") || helpers.test(frame)) continue;
    const { line, column } = place;
    const file = shown(place.path);
    const span: Span = { file, line, column, length: wordAt(file, line, column) };
    return [span];
  }
  return [];
}
