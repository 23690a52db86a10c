/** `warpsmith explain`: what the kernels of a program cost, or one of warpsmith/kernels, without running them. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownModule } from "../../base/own-files.ts";
import { Progress } from "../../base/progress.ts";
import { explained, explainMatmul } from "./explain-library.ts";
import { programFile } from "./input-file.ts";
import type { ExplainOptions } from "./options.ts";
import { json } from "./output.ts";
import { Refusal } from "./refusal.ts";

/** A kernel that was told of. */
interface Told {
  readonly report: object;
  readonly text: string;
}

const main = fileURLToPath(ownModule("tools/cli/main"));
const interval = 200;

function toldIn(file: string): readonly Told[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  // The last one is not finished, or empty.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Told);
}

/** Runs a program whose launches are written to that file. The output of the program goes to stderr, apart from the report. */
function runProgram(program: readonly string[], variables: NodeJS.ProcessEnv, file: string): Promise<void> {
  const progress = new Progress();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, main, "run", ...program], {
      env: { ...process.env, ...variables },
      stdio: ["inherit", process.stderr, process.stderr],
    });
    const timer = setInterval(() => progress.show(`${toldIn(file).length} kernels so far`), interval);
    const over = (): void => {
      clearInterval(timer);
      progress.clear();
    };
    child.on("error", (error) => {
      over();
      reject(error);
    });
    child.on("close", () => {
      over();
      resolve();
    });
  });
}

/** Exit status 1 where no kernel was launched. Throws a `Refusal` for a wrong command line. */
export async function explain(what: string, rest: readonly string[], options: ExplainOptions): Promise<void> {
  const { gpu } = options;
  const isKernel = explained.includes(what) && !existsSync(what);
  const path = isKernel ? undefined : programFileOrRefusal(what);
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-explain-"));
  const file = join(folder, "kernels.jsonl");
  try {
    const variables = { WARPSMITH_STAGES: `explain:${gpu}:${file}`, WARPSMITH_DEVICE: "emulator" };
    if (path === undefined) await explainMatmul(rest, options, variables);
    else await runProgram([path, ...rest], variables, file);
    const told = toldIn(file);
    if (options.json) console.log(json(told.map(({ report }) => report)));
    else if (told.length > 0) console.log(told.map(({ text }) => text).join("\n\n\n"));
    if (told.length > 0) return;
    process.exitCode = 1;
    console.error("warpsmith: no kernel was launched, so there is nothing to explain");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function programFileOrRefusal(what: string): string {
  const looksLikeFile = what === "" || /[./\\]/.test(what) || existsSync(what);
  if (!looksLikeFile)
    throw new Refusal(`there is no file ${what}, and no kernel of that name to explain. There is ${explained.join(", ")}`);
  return programFile(what);
}
