import { spawn } from "node:child_process";
import { join } from "node:path";
import { answersOf } from "./python.ts";

/** PyTorch in a process of its own, idle until it is asked. */
export interface Torch {
  readonly version: string;
  /** Ways that do not run there, and why. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Flushed medians in microseconds by the name of the way, within about that many seconds for all. */
  measure(seconds: number): Promise<Readonly<Record<string, number>>>;
  close(): void;
}

const script = join(import.meta.dirname, "torch_fused.py");

/** Overwrites of the L2 cache before each launch: `FLUSHES` of the script. */
export const torchFlushes = 4;

/** What autotuning may take, in milliseconds. */
const patience = 300_000;

/** Starts PyTorch, which compiles and checks relu(x Wᵀ + b) + r at size³ in f16; a clause that says why not where it does not run. */
export async function openTorch(size: number, command = "python3", args: readonly string[] = [script]): Promise<Torch | string> {
  const child = spawn(command, [...args, String(size)], { stdio: "pipe" });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (error) => reject(new Error(`${command} does not start (${error.message})`)));
  });
  failed.catch(() => {});
  const timer = setTimeout(() => child.kill(), patience);
  child.stdin.on("error", () => {});
  const next = answersOf(child);
  const close = (): void => {
    clearTimeout(timer);
    child.stdin.end();
    child.kill();
  };
  try {
    const first = await Promise.race([next(), failed]);
    clearTimeout(timer);
    if (typeof first.problem === "string") throw new Error(first.problem);
    return {
      version: String(first.torch),
      skipped: first.skipped as Record<string, string>,
      async measure(seconds) {
        child.stdin.write(`${seconds}\n`);
        return (await next()) as Record<string, number>;
      },
      close,
    };
  } catch (error) {
    close();
    return error instanceof Error ? error.message : String(error);
  }
}
