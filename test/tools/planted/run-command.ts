/** Commands of a shell, each a group of processes that ends as one. */
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

export interface Ended {
  /** Null where it was stopped. */
  readonly status: number | null;
  readonly late: boolean;
  readonly output: string;
}

export interface Where {
  readonly root: string;
  readonly cache: string;
  /** How long it may take. */
  readonly seconds: number;
  /** The file of the fault, below `src`. */
  readonly file: string | undefined;
}

/** Of what a command says, as much from its end on is kept. */
const mostOutput = 2 ** 24;
const running = new Set<number>();

function stop(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Ends all that run. */
export function stopAll(): void {
  for (const group of running) stop(group);
}

export function runCommand(command: string, { root, cache, seconds, file }: Where): Promise<Ended> {
  // A folder that the environment names would be one for all copies.
  const { WARPSMITH_CACHE: _, ...others } = process.env;
  const env = { ...others, XDG_CACHE_HOME: cache, PLANTED_FILE: file ?? "" };
  const child = spawn(command, { shell: true, cwd: root, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  let output = "";
  let late = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      output = (output + text).slice(-mostOutput);
    });
  }
  const timer = setTimeout(() => {
    late = true;
    if (pid !== undefined) stop(pid);
  }, seconds * 1000);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    // What it has left running holds its output open.
    child.on("exit", () => {
      clearTimeout(timer);
      if (pid !== undefined) stop(pid);
    });
    child.on("close", (status) => {
      if (pid !== undefined) running.delete(pid);
      resolve({ status, late, output });
    });
  });
}

const mostNames = 5;
const mark = " FAIL ";

/** The names of the first tests that failed, as vitest says them. */
export function failingTests(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output).split(/\r?\n/);
  const names = lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length).trim());
  return [...new Set(names)].slice(0, mostNames);
}
