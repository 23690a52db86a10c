import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDiskCache } from "../../src/base/disk-cache.ts";
import { type Asked, type Assembled, type How, keepsVerdicts } from "./ptxas-verdicts.ts";

/** One kernel, and the line of the author's file that its store comes from. */
const kernel = (line: number, value = "7") => `.visible .entry k()
{
  .loc 1 ${line} 3
  st.shared.b32 [%r0], ${value};
}

.file 1 "at-${line}.ts"
`;

const clean: Assembled = { ok: true, log: "ptxas info : Used 8 registers", registers: 8, spills: 0, warnings: [] };
const usual: Asked = { version: "V13.0.88", flags: ["-arch=sm_90a", "-v"], reads: true };

describe("what ptxas has said", () => {
  let directory: string;
  let ran: number;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "verdicts-"));
    ran = 0;
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** As another process asks. */
  const ask = (ptx: string, asked: Partial<Asked> = {}, says: Assembled = clean, how: How = "alone"): Assembled =>
    keepsVerdicts(openDiskCache(directory, "tests/ptxas"), { ...usual, ...asked }).of(how, ptx, () => {
      ran += 1;
      return says;
    });

  it("is kept: it is asked once", () => {
    expect([ask(kernel(3)), ask(kernel(3))]).toEqual([clean, clean]);
    expect(ran).toBe(1);
  });

  it("holds wherever the kernel stands in the author's file", () => {
    ask(kernel(3));
    ask(kernel(40));
    expect(ran).toBe(1);
  });

  it.each<[string, () => void]>([
    ["PTX", () => ask(kernel(3, "8"))],
    ["version", () => ask(kernel(3), { version: "V13.1.0" })],
    ["flag", () => ask(kernel(3), { flags: ["-arch=sm_90", "-v"] })],
    ["way: among others", () => ask(kernel(3), {}, clean, "among others")],
    ["place without a column", () => ask(kernel(3).replace(".loc 1 3 3", ".loc 1 3"))],
    ["place before the file's begin", () => ask(kernel(3).replace(".loc 1 3 3", ".loc 1 -3 3"))],
    ["place beyond all lines", () => ask(kernel(3).replace(".loc 1 3 3", ".loc 1 12345678901234567890123 3"))],
    ["place in another file", () => ask(kernel(3).replace(".loc 1 3 3", ".loc 2 3 3"))],
    ["name without quotes", () => ask(kernel(3).replace('"at-3.ts"', "at-3.ts"))],
  ])("is asked again of another %s", (_, again) => {
    ask(kernel(3));
    again();
    expect(ran).toBe(2);
  });

  it("a spill and a warning are kept: they name no line", () => {
    const serialised = { ...clean, spills: 16, warnings: ["(C7515) wgmma is serialized in function 'k'"] };
    ask(kernel(3), {}, serialised);
    expect(ask(kernel(9))).toEqual(serialised);
  });

  it.each<[string, Assembled]>([
    ["a failure", { ...clean, ok: false, log: "ptxas fatal : no such device" }],
    ["a warning of a line", { ...clean, log: "ptxas k.ptx, line 4; warning : unused" }],
  ])("%s is not kept", (_, says) => {
    ask(kernel(3), {}, says);
    expect(ask(kernel(3))).toEqual(clean);
    expect(ran).toBe(2);
  });

  it("a night asks anew, and leaves its answer for the day", () => {
    ask(kernel(3), { reads: false });
    ask(kernel(3), { reads: false });
    expect(ran).toBe(2);
    ask(kernel(3));
    expect(ran).toBe(2);
  });

  it("what is damaged on disk is asked anew, and mended", () => {
    ask(kernel(3));
    const folder = join(directory, "tests/ptxas");
    const [name = ""] = readdirSync(folder).filter((file) => !file.startsWith("."));
    const bytes = readFileSync(join(folder, name));
    const at = bytes.indexOf('"registers":8');
    expect(at).toBeGreaterThan(0);
    bytes.write('"registers":9', at);
    writeFileSync(join(folder, name), bytes);
    expect(ask(kernel(3)).registers).toBe(8);
    expect(ran).toBe(2);
    ask(kernel(3));
    expect(ran).toBe(2);
  });
});
