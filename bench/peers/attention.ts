import { spawn } from "node:child_process";
import { join } from "node:path";
import { answersOf } from "./python.ts";

/** Attention in PyTorch, in a process of its own, idle until it is asked. */
export interface AttentionPeer {
  readonly torch: string;
  readonly cudnn: string;
  /** Flushed medians in microseconds by name, each within about that many seconds; and what does not take part, and why. */
  measure(asked: object, seconds: number): Promise<Measured>;
  close(): void;
}

export interface Measured {
  readonly us: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
}

/** Throws where it does not start. */
export async function openAttentionPeer(command = "python3"): Promise<AttentionPeer> {
  const child = spawn(command, [join(import.meta.dirname, "attention.py")], { stdio: "pipe" });
  child.stdin.on("error", () => {});
  const next = answersOf(child);
  const first = await next();
  if (typeof first.problem === "string") throw new Error(first.problem);
  return {
    torch: String(first.torch),
    cudnn: String(first.cudnn),
    async measure(asked, seconds) {
      child.stdin.write(`${JSON.stringify({ ...asked, seconds })}\n`);
      return (await next()) as unknown as Measured;
    },
    close() {
      child.stdin.end();
      child.kill();
    },
  };
}
