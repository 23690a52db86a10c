/** One run of a program on the emulator, in a process of its own: a program does its work when it is loaded. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Warning } from "../../base/diag/index.ts";
import { ownModule } from "../../base/own-files.ts";
import type { RunRecord } from "../../entries/shared/open-emulator.ts";

export interface ProgramRun {
  /** File and arguments, as `warpsmith run` takes them. */
  readonly program: readonly string[];
  readonly check: "normal" | "strict";
  /** Seconds, after which a run counts as one that does not end. */
  readonly seconds: number;
}

/** A run that failed. */
export interface RunFailure {
  /** What tells it from other failures: the code of the first error, else how the process ended. */
  readonly kind: string;
  /** All that was said of it. */
  readonly report: string;
  readonly choices: RunRecord["choices"];
  /** `choices` are not all of them. */
  readonly cut: boolean;
}

/** What came of a run; `used`: it had a launch on the emulator or could have had one. */
export interface RunOutcome {
  readonly used: boolean;
  readonly failure: RunFailure | undefined;
  readonly warnings: readonly Warning[];
}

interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was told to end, as it took too long. */
  readonly late: boolean;
  /** What it wrote to the error stream, and to its output. */
  readonly said: string;
  readonly printed: string;
}

/** Milliseconds between the word to end and the end. */
const grace = 2000;

const main = fileURLToPath(ownModule("tools/cli/main"));

function runProcess(run: ProgramRun, variables: NodeJS.ProcessEnv, givenUp: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, main, "run", ...run.program], {
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
      signal: givenUp,
      killSignal: "SIGKILL",
    });
    // First it may say how far it is.
    const timers = [
      setTimeout(() => {
        late = true;
        child.kill("SIGTERM");
      }, run.seconds * 1000),
      setTimeout(() => child.kill("SIGKILL"), run.seconds * 1000 + grace),
    ];
    let said = "";
    let printed = "";
    let late = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const over = (): void => timers.forEach(clearTimeout);
    child.on("error", (error) => {
      over();
      if (givenUp.aborted) resolve({ status: 0, signal: null, late, said, printed });
      else reject(error);
    });
    child.on("close", (status, signal) => {
      over();
      resolve({ status, signal, late, said, printed });
    });
  });
}

function readRecord(file: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RunRecord;
  } catch {
    return undefined;
  }
}

/** The end of what a program printed, where it says nothing else. */
const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-20).join("\n");

function failureOf(
  { status, signal, late, said, printed }: Ended,
  record: RunRecord | undefined,
  seconds: number,
): RunFailure | undefined {
  const failures = record?.failures ?? [];
  if (status === 0 && failures.length === 0) return undefined;
  const still = `it was still running after ${seconds} s`;
  const ending = late ? still : `it ended with ${signal ?? `status ${status}`}`;
  const reason = late ? [`${still}${record?.running === undefined ? "" : `: ${record.running}`}`] : [];
  const unsaid = failures.filter((text) => !said.includes(text.split("\n")[0] ?? ""));
  const report = [...unsaid, ...reason, said.trimEnd()].filter(Boolean).join("\n") || lastLines(printed) || ending;
  const kind = /\bW\d{4}\b/.exec([...failures, said].join("\n"))?.[0] ?? ending;
  return { kind, report, choices: record?.choices ?? [], cut: record?.cut ?? true };
}

/** Runs a program under a schedule, as `WARPSMITH_SEED` takes it. */
export async function runSchedule(run: ProgramRun, schedule: string, givenUp: AbortSignal): Promise<RunOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-check-"));
  try {
    const file = join(folder, "record.json");
    const variables = {
      WARPSMITH_DEVICE: "emulator",
      WARPSMITH_CHECK: run.check,
      WARPSMITH_SEED: schedule,
      WARPSMITH_RECORD: file,
    };
    const ended = await runProcess(run, variables, givenUp);
    const record = readRecord(file);
    const failure = failureOf(ended, record, run.seconds);
    return { used: record !== undefined, failure, warnings: record?.warnings ?? [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
