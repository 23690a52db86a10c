/** One launch of a case's folder through `warpsmith emulate`, in a process of its own. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const command = join(import.meta.dirname, "../../dist/tools/cli/main.js");

export interface Ran {
  readonly ok: boolean;
  /** Why it failed, in a line. */
  readonly said: string;
  readonly seconds: number;
}

/** Folders that hold a launch. */
export const caseNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "launch.json")))
    .sort();

/** Launches on a device and leaves the results in a folder of the device's name; what was printed goes to <device>.log. */
export async function emulate(folder: string, device: "cuda" | "emulator", limit: number): Promise<Ran> {
  const results = join(folder, device);
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results);
  const started = performance.now();
  const { code, output } = await run(
    [
      command,
      "emulate",
      join(folder, "kernel.ptx"),
      "--launch",
      join(folder, "launch.json"),
      "--device",
      device,
      "--save",
      results,
    ],
    limit,
  );
  writeFileSync(join(folder, `${device}.log`), output);
  const seconds = (performance.now() - started) / 1000;
  const said =
    code === null
      ? `stopped after ${limit} s`
      : (output
          .trim()
          .split("\n")
          .find((line) => /^W\d{4}|rror/.test(line)) ?? output.trim().slice(0, 200));
  return { ok: code === 0, said, seconds };
}

function run(args: readonly string[], limit: number): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      // What is compared is results; some of these programs are not in order by the manual (docs/decisions/0005).
      env: { WARPSMITH_CHECK: "off", ...process.env, WARPSMITH_CACHE: "off" },
    });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const timer = setTimeout(() => child.kill("SIGKILL"), limit * 1000);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

/** So many at a time; the results come in the order of the items. */
export async function inParallel<T, R>(jobs: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i] as T);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

export function writeTable(rows: readonly (readonly string[])[]): void {
  const widths = rows.reduce<number[]>((w, row) => row.map((cell, i) => Math.max(w[i] ?? 0, cell.length)), []);
  for (const row of rows)
    console.log(row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join("  "));
}
