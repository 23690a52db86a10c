import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDiskCache } from "../../src/base/disk-cache.ts";
import { readEnvironment } from "../../src/base/env.ts";
import { extent } from "./amount.ts";
import { type Assembled, keepsVerdicts } from "./ptxas-verdicts.ts";

export type { Assembled } from "./ptxas-verdicts.ts";

const { status, stdout: version = "" } = extent === "quick" ? {} : spawnSync("ptxas", ["--version"], { encoding: "utf8" });

/** Why nothing is assembled here; undefined where ptxas is there. A process for each kernel is more than `npm test` has time for. */
export const noPtxas: string | undefined =
  extent === "quick" ? "npm run test:ci does" : status === 0 ? undefined : "ptxas is not on the PATH";
if (noPtxas !== undefined && extent !== "quick") console.warn(`PTX is not assembled: ${noPtxas}`);

const flags = ["-arch=sm_90a", "-v", "-lineinfo"];

/** A night asks ptxas itself, and leaves what it has said for the day. */
const verdicts = keepsVerdicts(openDiskCache(readEnvironment().values?.cache, "tests/ptxas"), {
  ...{ version: version ?? "", flags },
  reads: extent === "quick" || extent === "sixth",
});

/** What ptxas has said, by the text: kernels for many sizes are often one. */
const known = new Map<string, Assembled>();

/** Assembles PTX for sm_90a as a user's ptxas would; undefined where there is no ptxas. */
export function assemble(ptx: string): Assembled | undefined {
  if (noPtxas !== undefined) return undefined;
  const made = known.get(ptx) ?? verdicts.of("alone", ptx, () => runPtxas(ptx));
  known.set(ptx, made);
  return made;
}

/** Assembles modules, and keeps what was said of those that went through one ptxas together. */
export interface Assembler {
  assemble(ptx: string): Assembled | undefined;
  kept(ptx: string): Assembled | undefined;
  keep(ptx: string, made: Assembled): void;
}

export const ptxas: Assembler = {
  assemble,
  kept: (ptx) => (noPtxas === undefined ? verdicts.kept("among others", ptx) : undefined),
  keep: (ptx, made) => verdicts.keep("among others", ptx, made),
};

function runPtxas(ptx: string): Assembled {
  const dir = mkdtempSync(join(tmpdir(), "ptx-"));
  try {
    writeFileSync(join(dir, "k.ptx"), ptx);
    const { status, stdout, stderr } = spawnSync("ptxas", [...flags, "-o", join(dir, "k.cubin"), join(dir, "k.ptx")], {
      encoding: "utf8",
    });
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
