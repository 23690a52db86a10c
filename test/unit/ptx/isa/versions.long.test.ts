import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readFormNames } from "../../../../src/ptx/isa/read/index.ts";
import { versionOf } from "../../../../src/ptx/isa/read/versions.ts";
import { accepted, candidates, moduleAround } from "../../emulator/program/every-instruction.ts";

const folder = mkdtempSync(join(tmpdir(), "versions-"));
afterAll(() => rmSync(folder, { recursive: true }));

const isThere = spawnSync("ptxas", ["--version"]).status === 0;
const opcodeOf = (instruction: string): string => instruction.trim().split(" ")[0] ?? "";
const head = moduleAround([]).split("\n").length - 3;

/** Registers of 128 bits came with 8.3: instructions without one do not need them. */
function module(lines: readonly string[], version: string): string {
  const text = moduleAround(lines).replace(".version 9.0", `.version ${version}`);
  return version < "8.3" ? text.replace(/^ {2}\.reg \.b128 .*$/m, "") : text;
}

/** What ptxas says that a version lacks, by instruction. */
function lacking(lines: readonly string[], version: string): ReadonlyMap<string, string> {
  const file = join(folder, "module.ptx");
  writeFileSync(file, module(lines, version));
  const { stderr } = spawnSync("ptxas", ["-arch=sm_90a", "-O0", "-o", "/dev/null", file], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const found = [...stderr.matchAll(/line (\d+); error\s*: (.*)/g)];
  return new Map(found.map(([, line, why = ""]) => [lines[Number(line) - head - 1] ?? "", why]));
}

describe.skipIf(!isThere)("versions of the PTX ISA", () => {
  it.each(readFormNames)("%s has what ptxas says", { timeout: 120_000 }, (form) => {
    const lines = accepted(candidates(form));
    for (const version of new Set(lines.map((line) => versionOf(opcodeOf(line))))) {
      const of = lines.filter((line) => versionOf(opcodeOf(line)) === version);
      expect([...lacking(of, version)], `at ${version}`).toEqual([]);
      const before = version === "8.0" ? [] : of.slice(0, 5);
      const least = `8.${Number(version.slice(2)) - 1}`;
      // By itself only where ptxas passes over one among several: it gives up after some errors.
      const among = before.length > 0 ? lacking(before, least) : new Map<string, string>();
      for (const line of before) expect(among.has(line) || lacking([line], least).has(line), `${line} at ${least}`).toBe(true);
    }
  });
});
