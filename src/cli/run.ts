import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { stageNames } from "../compile.ts";
import { nearest } from "../diag/index.ts";
import { ownModule } from "../own-files.ts";
import { profileFilePattern } from "../profile/profile-file.ts";
import { programFile } from "./input-file.ts";
import type { RunOptions } from "./options.ts";
import { Refusal } from "./refusal.ts";

/** The path of a file that the run is to write, which says in the end why there is none. One of an earlier run must not pass for one of this. */
function freshFile(option: string, file: string, what: string, otherwise: string): string {
  const path = resolve(file);
  try {
    rmSync(path, { force: true });
  } catch {
    throw new Refusal(`--${option} takes the file that the ${what} goes to, and ${file} cannot be one`);
  }
  process.on("exit", () => {
    if (!existsSync(path)) console.error(`${file} was not written: the program ${otherwise}`);
  });
  return path;
}

function stageName(name: string): string {
  if (stageNames.includes(name)) return name;
  const meant = nearest(name, stageNames);
  const known = [...new Set(stageNames)].join(", ");
  throw new Refusal(`there is no stage ${name}${meant === undefined ? "." : `: did you mean ${meant}?`} There are ${known}`);
}

/** The options that show what the compiler does become `WARPSMITH_STAGES`, which programs can be given without the command, too. */
export function showStages({ printAfter, printAfterAll, stages, remarks }: RunOptions): void {
  if (printAfter !== undefined && printAfterAll !== undefined)
    throw new Refusal("--print-after names one stage and --print-after-all takes all: give one of the two");
  const parts = [
    ...(remarks ? ["remarks"] : []),
    ...(printAfterAll === undefined ? [] : [printAfterAll === "diff" ? "diff" : "all"]),
    ...(printAfter === undefined ? [] : [`after:${stageName(printAfter)}`]),
    ...(stages === undefined ? [] : [`page:${freshFile("stages", stages, "page", "compiled no kernel")}`]),
  ];
  if (parts.length > 0) process.env.WARPSMITH_STAGES = parts.join(",");
}

/** Profiles of whole programs are the emulator's, which writes them when the process ends. */
function profileTo(file: string): void {
  if (!profileFilePattern.test(file))
    throw new Refusal(`--profile takes a file that ends in .html, for a page, or in .json, for Perfetto, and not ${file}`);
  process.env.WARPSMITH_PROFILE = freshFile("profile", file, "profile", "opened no emulator");
  process.env.WARPSMITH_DEVICE ??= "emulator";
}

/** Runs a program in this process: its file becomes the main module of `process.argv`. */
export async function run(file: string, rest: readonly string[], options: RunOptions = {}): Promise<void> {
  const path = programFile(file);
  if (options.profile !== undefined) profileTo(options.profile);
  showStages(options);
  process.argv = [process.argv[0] ?? "node", path, ...rest];
  await import(ownModule("register").href);
  await import(pathToFileURL(path).href);
}
