// Runs the cases that make.ts made on the emulator and compares what it leaves with what the GPU left.
//
//   node --import warpsmith/register test/foreign/compare.ts [--out .foreign/out] [--only name,…] [--limit seconds] [--jobs 2] [--record]
//
// A result must agree in every bit, unless its case allows it a distance and says why. Where there is no result of a GPU, what was
// recorded of one counts. Writes compare.json and ends with 1 if one differs. --record writes down what the GPU left in our own kernels.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parsePtx } from "../../src/ptx/parse/index.ts";
import { cudaCases, type ForeignCase } from "./cases.ts";
import { compareBytes, declared } from "./compare-bytes.ts";
import { differing, readRecorded, record } from "./recorded.ts";
import { caseNames, emulate, inParallel, writeTable } from "./run-case.ts";

const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: ".foreign/out" },
    only: { type: "string" },
    limit: { type: "string", default: "120" },
    jobs: { type: "string", default: "2" },
    record: { type: "boolean", default: false },
  },
});
const chosen = options.only?.split(",");

interface Row {
  readonly name: string;
  readonly source: string;
  readonly instructions: number | undefined;
  readonly seconds: number;
  readonly verdict: "agrees" | "agrees with the record" | "agrees within" | "differs" | "fails" | "no result of a GPU";
  readonly said: string;
}

/** Of all functions; undefined where the text cannot be read. */
function countInstructions(ptx: string, name: string): number | undefined {
  try {
    return parsePtx(ptx, name).functions.reduce((sum, f) => sum + (f.body?.instructions.length ?? 0), 0);
  } catch {
    return undefined;
  }
}

/** The launch as it was made; what is allowed of our own kernels as it is now. */
function readCase(folder: string, name: string): ForeignCase {
  const { allowances, ...launch } = JSON.parse(readFileSync(join(folder, "launch.json"), "utf8")) as ForeignCase;
  const ours = cudaCases.find((c) => c.name === name);
  const allowed = ours ? ours.allowances : allowances;
  return allowed ? { ...launch, allowances: allowed } : launch;
}

async function compareCase(name: string): Promise<Row> {
  const folder = join(options.out, name);
  const c = readCase(folder, name);
  const ptx = join(folder, "kernel.ptx");
  const instructions = existsSync(ptx) ? countInstructions(readFileSync(ptx, "utf8"), name) : undefined;
  const row = { name, source: c.source, instructions };
  const ran = await emulate(folder, "emulator", Number(options.limit));
  if (!ran.ok) return { ...row, seconds: ran.seconds, verdict: "fails", said: ran.said };
  const results = declared(c).filter((buffer) => buffer.out);
  if (!results.every(({ name: buffer }) => existsSync(join(folder, "cuda", `${buffer}.bin`)))) {
    const different = differing(recorded, c, join(folder, "emulator"));
    const verdict = different === undefined ? "no result of a GPU" : different.length > 0 ? "differs" : "agrees with the record";
    return { ...row, seconds: ran.seconds, verdict, said: different?.join(", ") ?? "" };
  }
  const compared = results.map((buffer) => {
    const [ours, theirs] = ["emulator", "cuda"].map((device) => readFileSync(join(folder, device, `${buffer.name}.bin`)));
    return compareBytes(buffer, ours ?? new Uint8Array(), theirs ?? new Uint8Array(), c.allowances?.[buffer.name]);
  });
  const different = compared.filter((r) => r.kind === "differs");
  const verdict = different.length > 0 ? "differs" : compared.some((r) => r.kind === "within") ? "agrees within" : "agrees";
  const worth = different.length > 0 ? different : compared.filter((r) => r.kind === "within");
  return { ...row, seconds: ran.seconds, verdict, said: worth.map((r) => r.said).join("; ") };
}

const recorded = readRecorded();
const names = caseNames(options.out).filter((name) => chosen?.includes(name) ?? true);
const rows = await inParallel(Number(options.jobs), names, compareCase);
writeFileSync(join(options.out, "compare.json"), `${JSON.stringify(rows, null, 2)}\n`);
const columns = (r: Row): string[] => [r.name, String(r.instructions ?? "?"), r.seconds.toFixed(1), r.verdict, r.said];
writeTable([["case", "instructions", "s", "verdict", ""], ...rows.map(columns)]);
const good = rows.filter((r) => r.verdict.startsWith("agrees")).length;
console.log(
  `${good} of ${rows.length} cases agree, ${rows.filter((r) => r.verdict.startsWith("agrees") && r.verdict !== "agrees within").length} of them in every bit`,
);
if (options.record) console.log(`${record(options.out, cudaCases)} cases recorded`);
if (good < rows.length) process.exitCode = 1;
