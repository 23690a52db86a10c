import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { nearest, printAs } from "../../base/diag/index.ts";
import { readEnvironment } from "../../base/env.ts";
import { ownModule } from "../../base/own-files.ts";
import { stageNames } from "../../compile.ts";
import { profileFilePattern } from "../../inspect/profile/written.ts";
import { programFile } from "./input-file.ts";
import type { RunOptions } from "./options.ts";
import { warningAsJson } from "./output.ts";
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

/** A process whose end can be watched: Node's own. */
interface Ending {
  on(event: "uncaughtExceptionMonitor" | "exit", listener: (given: unknown) => void): unknown;
}

/**
 * Under `warpsmith explain`: says why a program fails whose kernels are compiled and not run, before what it throws is printed, or when it ends with a status of
 * its own. Without a kernel in the file it is something else that went wrong. Gives what says so.
 */
export function explainFailures(file: string, ending: Ending = process): () => void {
  let said = false;
  const say = (): void => {
    if (said || !existsSync(file)) return;
    said = true;
    console.error("warpsmith: the program fails. Its kernels were compiled and not run, so it does not find their results");
  };
  ending.on("uncaughtExceptionMonitor", say);
  ending.on("exit", (code) => {
    if (code !== 0) say();
  });
  return say;
}

/** Runs a program in this process: its file becomes the main module of `process.argv`. */
export async function run(file: string, rest: readonly string[], options: RunOptions = {}): Promise<void> {
  const path = programFile(file);
  if (options.profile !== undefined) profileTo(options.profile);
  showStages(options);
  if (options.json) printAs(warningAsJson);
  process.argv = [process.argv[0] ?? "node", path, ...rest];
  const explained = readEnvironment().values?.stages?.explain;
  const say = explained && explainFailures(explained.file);
  await import(ownModule("entries/register").href);
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    say?.();
    throw error;
  }
}
