import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail } from "./errors.ts";

export interface Ptxas {
  readonly version: string;
  /** PTX to an image for a target, `sm_90a`. W8011 with what it printed. */
  assemble(ptx: string, target: string): Uint8Array;
}

/** The assembler at that path. W8011 where there is none. */
export function openPtxas(path: string): Ptxas {
  const version = run(path, ["--version"]).trim().split("\n").at(-1) ?? "";
  return { version, assemble: (ptx, target) => assemble(path, ptx, target) };
}

function run(path: string, parameters: readonly string[]): string {
  const { status, error, stdout, stderr } = spawnSync(path, parameters, { encoding: "utf8" });
  if (error) fail("W8011", { path, reason: error.message });
  if (status !== 0) fail("W8011", { path, reason: (stderr || stdout).trim() });
  return stdout;
}

function assemble(path: string, ptx: string, target: string): Uint8Array {
  const directory = mkdtempSync(join(tmpdir(), "warpsmith-"));
  try {
    const input = join(directory, "kernel.ptx");
    const output = join(directory, "kernel.cubin");
    writeFileSync(input, ptx);
    run(path, [`-arch=${target}`, "-lineinfo", "-o", output, input]);
    return readFileSync(output);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
