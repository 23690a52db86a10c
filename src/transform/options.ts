import { isAbsolute, relative, sep } from "node:path";
import type { FileRead } from "./other-files.ts";

export interface TransformOptions {
  /** Path of the file; its ending says whether it is TypeScript or TSX. */
  readonly fileName: string;
  /** The file's name in errors. Default: `fileName`. */
  readonly displayName?: string;
  /** The module names whose `kernel` and `helper` are meant, and with `/schedule` behind them whose `program`. Default: `["warpsmith"]`. */
  readonly modules?: readonly string[];
  /** What the output imports the hooks from. Default: `"warpsmith/hooks"`. */
  readonly hooksModule?: string;
  /** What it imports those of programs from. Default: `"warpsmith/schedule/hooks"`. */
  readonly programHooksModule?: string;
  /** `"js"`: everything compiled; `"ts"`: only kernels and helpers rewritten, the rest as it was. Default: `"js"`. */
  readonly emit?: "js" | "ts";
}

export interface Transformed {
  readonly code: string;
  /** Source map, version 3, as JSON; undefined where the text is unchanged. */
  readonly map: string | undefined;
  /** Whether the file held kernels, helpers or programs. */
  readonly transformed: boolean;
  /** The files besides this one that the result depends on: its kernels' annotations lead there. Left out where there are none. */
  readonly reads?: readonly FileRead[];
}

export const withDefaults = (options: TransformOptions): Required<TransformOptions> => ({
  displayName: options.fileName,
  modules: ["warpsmith"],
  hooksModule: "warpsmith/hooks",
  programHooksModule: "warpsmith/schedule/hooks",
  emit: "js",
  ...options,
});

/** What marks them, imported under its own name or under another one, or as a member of the whole package. */
const marks = /\b(?:kernel|helper|program)\b/;

/** Whether a text may hold kernels, helpers or programs; a cheap no saves parsing. */
export const mayHoldKernels = (text: string, modules: readonly string[]): boolean =>
  text.includes("use kernel") || (modules.some((name) => text.includes(name)) && marks.test(text));

/** A file's name in errors: relative to the working directory where it lies below it, else in full; with `/` everywhere. */
export function displayName(path: string, directory: string = process.cwd()): string {
  const below = relative(directory, path);
  const name = below === "" || below.startsWith("..") || isAbsolute(below) ? path : below;
  return name.split(sep).join("/");
}
