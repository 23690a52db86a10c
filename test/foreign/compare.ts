// Runs the cases that make.ts made on the emulator and compares what it leaves with what the GPU left.
//
//   node --import ./dist/register.js test/foreign/compare.ts [--out .foreign/out] [--only name,…] [--limit seconds] [--jobs 2]
//
// A result must agree in every bit, unless its case allows it a distance and says why. Writes compare.json and ends with 1 if one differs.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ForeignCase } from "./cases.ts";
import { compareBytes, declared } from "./compare-bytes.ts";
import { caseNames, emulate, inParallel, writeTable } from "./run-case.ts";

const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: ".foreign/out" },
    only: { type: "string" },
    limit: { type: "string", default: "120" },
    jobs: { type: "string", default: "2" },
  },
});
const chosen = options.only?.split(",");

interface Row {
  readonly name: string;
  readonly source: string;
  readonly instructions: number;
  readonly seconds: number;
  readonly verdict: "agrees" | "agrees within" | "differs" | "fails" | "no result of a GPU";
  readonly said: string;
}

const instructions = (ptx: string): number =>
  ptx.split("\n").filter((line) => /^\s*(@!?%?\w+\s+)?[a-z]\w*(\.[\w:]+)*\s*[^:]*;/.test(line)).length;

async function compareCase(name: string): Promise<Row> {
  const folder = join(options.out, name);
  const c = JSON.parse(readFileSync(join(folder, "launch.json"), "utf8")) as ForeignCase;
  const ptx = join(folder, "kernel.ptx");
  const row = { name, source: c.source, instructions: existsSync(ptx) ? instructions(readFileSync(ptx, "utf8")) : 0 };
  const ran = await emulate(folder, "emulator", Number(options.limit));
  if (!ran.ok) return { ...row, seconds: ran.seconds, verdict: "fails", said: ran.said };
  const results = declared(c).filter((buffer) => buffer.out);
  if (!results.every(({ name: buffer }) => existsSync(join(folder, "cuda", `${buffer}.bin`))))
    return { ...row, seconds: ran.seconds, verdict: "no result of a GPU", said: "" };
  const compared = results.map((buffer) => {
    const [ours, theirs] = ["emulator", "cuda"].map((device) => readFileSync(join(folder, device, `${buffer.name}.bin`)));
    return compareBytes(buffer, ours ?? new Uint8Array(), theirs ?? new Uint8Array(), c.allowances?.[buffer.name]);
  });
  const different = compared.filter((r) => r.kind === "differs");
  const verdict = different.length > 0 ? "differs" : compared.some((r) => r.kind === "within") ? "agrees within" : "agrees";
  const worth = different.length > 0 ? different : compared.filter((r) => r.kind === "within");
  return { ...row, seconds: ran.seconds, verdict, said: worth.map((r) => r.said).join("; ") };
}

const names = caseNames(options.out).filter((name) => chosen?.includes(name) ?? true);
const rows = await inParallel(Number(options.jobs), names, compareCase);
writeFileSync(join(options.out, "compare.json"), `${JSON.stringify(rows, null, 2)}\n`);
const columns = (r: Row): string[] => [r.name, String(r.instructions), r.seconds.toFixed(1), r.verdict, r.said];
writeTable([["case", "instructions", "s", "verdict", ""], ...rows.map(columns)]);
const good = rows.filter((r) => r.verdict.startsWith("agrees")).length;
console.log(`${good} of ${rows.length} cases agree, ${rows.filter((r) => r.verdict === "agrees").length} of them in every bit`);
if (good < rows.length) process.exitCode = 1;
