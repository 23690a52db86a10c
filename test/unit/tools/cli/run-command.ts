import { vi } from "vitest";
import { runCommandLine } from "../../../../src/tools/cli/command-line.ts";

/** What a command line printed, and its exit status. */
export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process. */
export async function runCommand(...words: readonly string[]): Promise<Ran> {
  let [out, err] = ["", ""];
  const spies = [
    vi.spyOn(console, "log").mockImplementation((text) => {
      out += `${text}\n`;
    }),
    vi.spyOn(console, "error").mockImplementation((text) => {
      err += `${text instanceof Error ? text.stack : text}\n`;
    }),
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      out += String(text);
      return true;
    }),
  ];
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const status = await runCommandLine(words);
    return { status: status ?? Number(process.exitCode ?? 0), out, err };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}
