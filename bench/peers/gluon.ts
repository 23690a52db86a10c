import { spawn } from "node:child_process";
import { join } from "node:path";
import { answersOf } from "./python.ts";

/** The kernels of Gluon's tutorials, in a process of their own, idle until it is asked. */
export interface GluonPeer {
  /** Of Triton. */
  readonly version: string;
  /** Flushed medians in microseconds by name, within about that many seconds for all; and what does not take part, and why. */
  measure(name: string, shape: readonly number[], seconds: number): Promise<Measured>;
  close(): void;
}

interface Measured {
  readonly us: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
}

/** Starts Python on a folder of tutorials. Throws where it does not start. */
export async function openGluon(tutorials: string, command = "python3"): Promise<GluonPeer> {
  const child = spawn(command, [join(import.meta.dirname, "gluon.py"), tutorials], { stdio: "pipe" });
  child.stdin.on("error", () => {});
  const next = answersOf(child);
  const first = await next();
  if (typeof first.problem === "string") throw new Error(first.problem);
  return {
    version: String(first.triton),
    async measure(name, shape, seconds) {
      child.stdin.write(`${JSON.stringify({ case: name, shape, seconds })}\n`);
      return (await next()) as unknown as Measured;
    },
    close() {
      child.stdin.end();
      child.kill();
    },
  };
}
