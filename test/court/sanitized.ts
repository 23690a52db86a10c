import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const tools = ["memcheck", "racecheck", "synccheck", "initcheck"] as const;
export type Tool = (typeof tools)[number];

/** `hangs`: nothing is said, and the kernel does not end. `no answer`: the tool has failed. */
export type Answer = "named" | "silent" | "hangs" | "no answer";

/** What compute-sanitizer has said, as `sanitizer.ts` keeps it. */
export interface Sanitized {
  readonly version: string;
  readonly card: string;
  readonly driver: string;
  /** By case. */
  readonly broken: Readonly<Record<string, Readonly<Record<Tool, Answer>>>>;
  /** By kind: all mended twins of it together. */
  readonly mended: Readonly<Record<string, Readonly<Record<Tool, Answer>>>>;
}

const file = join(import.meta.dirname, "sanitizer.json");

export const readSanitized = (): Sanitized | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Sanitized) : undefined;
