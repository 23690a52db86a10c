import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "../base/env.ts";
import type { Target } from "../base/target.ts";
import { type AssemblerLog, readAssemblerLog } from "../inspect/report/index.ts";

/** What the CUDA toolkit's programs say of a kernel. Undefined where they are not installed. */
export interface Assembled {
  readonly log: AssemblerLog;
  readonly cubin: Uint8Array;
  sass(): string | undefined;
}

/** What the program printed, in both ways; undefined where it is not there or refused. `cuda/ptxas.ts`, which loads kernels, reports instead. */
function run(program: string, args: readonly string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 28 });
  return status === 0 ? stdout + stderr : undefined;
}

/** Assembles PTX with `ptxas`, `WARPSMITH_PTXAS` or the one on the path. */
export function assemble(ptx: string, target: Target): Assembled | undefined {
  const { values } = readEnvironment(process.env);
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-"));
  try {
    const [source, cubin] = [join(folder, "kernel.ptx"), join(folder, "kernel.cubin")];
    writeFileSync(source, ptx);
    const log = run(values?.ptxas ?? "ptxas", [`-arch=${target.name}`, "-v", "-lineinfo", "-o", cubin, source]);
    if (log === undefined) return undefined;
    const sass = run("nvdisasm", ["-c", cubin]) ?? run("cuobjdump", ["--dump-sass", cubin]);
    return { log: readAssemblerLog(log), cubin: readFileSync(cubin), sass: () => sass };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
