import { WarpsmithError } from "../../base/diag/index.ts";
import { codeFolders } from "../../base/own-files.ts";

/** A dozen of our frames lie between two of the author's; V8 keeps ten in all by default. */
const frames = 400;

const folders = codeFolders.map((folder) => folder.replace(/^file:\/\//, ""));

/** Frames of this package, as built or, through its source maps, as written. */
const isOwn = (frame: string): boolean => folders.some((folder) => frame.includes(folder));

const isFrame = (line: string): boolean => /^\s+at /.test(line);

/**
 * The stack with the author's calls alone. Where the topmost frames are ours they stay, down to the first of the author's: they
 * show a mistake of this package.
 */
function authorsFrames(stack: string, isTold: boolean): string {
  const lines = stack.split("\n");
  const first = lines.findIndex((line) => isFrame(line) && !isOwn(line));
  if (first < 0) return stack;
  return lines.filter((line, i) => !isFrame(line) || (i < first ? !isTold : !isOwn(line))).join("\n");
}

/** Runs what calls the author's code; an exception that leaves it shows the author's lines. */
export function inAuthorsCode<T>(run: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  try {
    return run();
  } catch (error) {
    if (error instanceof Error && error.stack) error.stack = authorsFrames(error.stack, error instanceof WarpsmithError);
    throw error;
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The stack of an exception that the author makes begins at the author's line, not in our function `inside`. */
export function bornAtAuthors<T>(value: T, inside: (...args: never[]) => unknown): T {
  if (value instanceof Error && !(value instanceof WarpsmithError)) Error.captureStackTrace?.(value, inside);
  return value;
}
