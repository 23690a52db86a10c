import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Assembled {
  readonly ok: boolean;
  /** All that ptxas printed. */
  readonly log: string;
  /** Registers per thread. */
  readonly registers: number;
  /** Bytes of spill stores and loads together. */
  readonly spills: number;
  /** Lines that name a code such as C7515: wgmma serialised, setmaxnreg ignored. */
  readonly warnings: readonly string[];
}

/** Why nothing is assembled here; undefined where ptxas is there. A process for each kernel is more than `npm test` has time for. */
export const noPtxas: string | undefined =
  process.env.TESTS === "quick"
    ? "npm run test:all does"
    : spawnSync("ptxas", ["--version"]).status === 0
      ? undefined
      : "ptxas is not on the PATH";
if (noPtxas !== undefined && process.env.TESTS !== "quick") console.warn(`PTX is not assembled: ${noPtxas}`);

/** What ptxas has said, by the text: kernels for many sizes are often one. */
const known = new Map<string, Assembled>();

/** Assembles PTX for sm_90a as a user's ptxas would; undefined where there is no ptxas. */
export function assemble(ptx: string): Assembled | undefined {
  if (noPtxas !== undefined) return undefined;
  const made = known.get(ptx) ?? runPtxas(ptx);
  known.set(ptx, made);
  return made;
}

function runPtxas(ptx: string): Assembled {
  const dir = mkdtempSync(join(tmpdir(), "ptx-"));
  try {
    writeFileSync(join(dir, "k.ptx"), ptx);
    const { status, stdout, stderr } = spawnSync(
      "ptxas",
      ["-arch=sm_90a", "-v", "-lineinfo", "-o", join(dir, "k.cubin"), join(dir, "k.ptx")],
      { encoding: "utf8" },
    );
    const log = `${stdout}${stderr}`;
    const number = (pattern: RegExp) => [...log.matchAll(pattern)].reduce((sum, m) => sum + Number(m[1]), 0);
    return {
      ok: status === 0,
      log,
      registers: number(/Used (\d+) registers/g),
      spills: number(/(\d+) bytes spill (?:stores|loads)/g),
      warnings: log.split("\n").filter((line) => /\bC\d{4}\b|warning/i.test(line)),
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}
