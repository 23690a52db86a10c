/** What `warpsmith run` shows of the compiler: its options become `WARPSMITH_STAGES`, which programs can be given without the command, too. */
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { stageNames } from "../compile.ts";
import { nearest } from "../diag/index.ts";
import type { RunOptions } from "./commands/run.ts";
import { Refusal } from "./refusal.ts";

/** A page of an earlier run must not pass for one of this. */
function pageFile(file: string): string {
  const path = resolve(file);
  try {
    rmSync(path, { force: true });
  } catch {
    throw new Refusal(`--stages takes the file that the page goes to, and ${file} cannot be one`);
  }
  process.on("exit", () => {
    if (!existsSync(path)) console.error(`${file} was not written: the program compiled no kernel`);
  });
  return path;
}

function stageName(name: string): string {
  if (stageNames.includes(name)) return name;
  const meant = nearest(name, stageNames);
  const known = [...new Set(stageNames)].join(", ");
  throw new Refusal(`there is no stage ${name}${meant === undefined ? "." : `: did you mean ${meant}?`} There are ${known}`);
}

/** Asks for what the options say. */
export function showStages({ printAfter, printAfterAll, stages }: RunOptions): void {
  if (printAfter !== undefined && printAfterAll !== undefined)
    throw new Refusal("--print-after names one stage and --print-after-all takes all: give one of the two");
  const parts = [
    ...(printAfterAll === undefined ? [] : [printAfterAll === "diff" ? "diff" : "all"]),
    ...(printAfter === undefined ? [] : [`after:${stageName(printAfter)}`]),
    ...(stages === undefined ? [] : [`page:${pageFile(stages)}`]),
  ];
  if (parts.length > 0) process.env.WARPSMITH_STAGES = parts.join(",");
}
