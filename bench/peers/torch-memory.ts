import { spawn } from "node:child_process";
import { join } from "node:path";
import { answersOf } from "./python.ts";

/** PyTorch in a process of its own, idle until it is asked for a case. */
export interface TorchMemory {
  readonly version: string;
  /** Ways that do not run there, and why. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Flushed medians in microseconds by the name of the way, within about that many seconds for all. */
  measure(name: string, seconds: number): Promise<Readonly<Record<string, number>>>;
  close(): void;
}

/** What compiling may take, in milliseconds. */
const patience = 300_000;

/** Starts PyTorch, which compiles those cases; a clause that says why not where it does not run. */
export async function openTorchMemory(names: readonly string[], command = "python3"): Promise<TorchMemory | string> {
  const child = spawn(command, [join(import.meta.dirname, "torch_memory.py"), ...names], { stdio: "pipe" });
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
      async measure(name, seconds) {
        child.stdin.write(`${name} ${seconds}\n`);
        return (await next()) as Record<string, number>;
      },
      close,
    };
  } catch (error) {
    close();
    return error instanceof Error ? error.message : String(error);
  }
}
