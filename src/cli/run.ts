import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Refusal } from "./refusal.ts";

export const runUsage = `warpsmith run <file.ts> [arguments …]   runs a program whose kernels are TypeScript functions
  --trace out.json                        before the arguments: on the emulator, with a timeline that Perfetto opens`;

/** Timelines are the emulator's. It writes them when the process ends; a file of an earlier run must not pass for one. */
function traceTo(file: string): void {
  const path = resolve(file);
  rmSync(path, { force: true });
  process.env.WARPSMITH_DEVICE ??= "emulator";
  process.env.WARPSMITH_TRACE = path;
}

/** Takes `--trace` and its file off the words, where they come first. */
function takeTrace(words: readonly string[]): { readonly file: string | undefined; readonly rest: readonly string[] } {
  const [first = "", second] = words;
  if (first.startsWith("--trace=")) return { file: first.slice("--trace=".length), rest: words.slice(1) };
  if (first !== "--trace") return { file: undefined, rest: words };
  if (!second) throw new Refusal("--trace takes the file that the timeline goes to");
  return { file: second, rest: words.slice(2) };
}

/** Runs a program in this process: its file becomes the main module of `process.argv`. */
export async function run(words: readonly string[]): Promise<void> {
  const before = takeTrace(words);
  const [file, ...others] = before.rest;
  if (!file) throw new Refusal("run takes the file of a program");
  const path = resolve(file);
  if (!existsSync(path)) throw new Refusal(`there is no file ${file}`);
  const after = before.file === undefined ? takeTrace(others) : { file: before.file, rest: others };
  if (after.file !== undefined) traceTo(after.file);
  process.argv = [process.argv[0] ?? "node", path, ...after.rest];
  await import(new URL("../register.js", import.meta.url).href);
  await import(pathToFileURL(path).href);
}
