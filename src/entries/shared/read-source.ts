/** Gives `base/diag` the text of a source file. */
import { readFileSync } from "node:fs";

/** The text of a file that an error speaks of, for its caret frames; undefined where it cannot be read. */
export function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
