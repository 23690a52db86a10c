import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { RunOptions } from "./commands/run.ts";
import { programFile } from "./input-file.ts";
import { Refusal } from "./refusal.ts";
import { showStages } from "./stages.ts";

/** Timelines are the emulator's. It writes them when the process ends; a file of an earlier run must not pass for one. */
function traceTo(file: string): void {
  const path = resolve(file);
  try {
    rmSync(path, { force: true });
  } catch {
    throw new Refusal(`--trace takes the file that the timeline goes to, and ${file} cannot be one`);
  }
  process.env.WARPSMITH_DEVICE ??= "emulator";
  process.env.WARPSMITH_TRACE = path;
}

/** Runs a program in this process: its file becomes the main module of `process.argv`. */
export async function run(file: string, rest: readonly string[], options: RunOptions = {}): Promise<void> {
  const path = programFile(file);
  if (options.trace !== undefined) traceTo(options.trace);
  showStages(options);
  process.argv = [process.argv[0] ?? "node", path, ...rest];
  await import(new URL("../register.js", import.meta.url).href);
  await import(pathToFileURL(path).href);
}
