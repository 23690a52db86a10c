// GEMM beside cuBLAS: every case checked, then timed in turns with its peers, in one process and one stream.
//
//   npm run bench                          every case
//   npm run bench -- 4096 f16 nt           those that fit: sizes, types, layouts, groups (square, wide, odd, fused, decode, transformer, random)
//   npm run bench -- --quick               a quarter of the time, nothing sustained
//   npm run bench -- --seconds 4           twice the time (2)
//   npm run bench -- --ptx <folder>        with somebody else's PTX of the same shapes
//   npm run bench -- --plans <file.json>   with matmul by other plans: a list, or { base, each: { stages: [3, 4] } }, or { base, vary }
//   npm run bench -- --kinds               with matmul by kernels that serve every M, and by those whose rows do not depend on it
//   npm run bench -- --no-torch            without PyTorch beside the fused case
//   npm run bench -- random --shapes 200-299 --seconds 0.2    300 random shapes, or those numbers of them; no part of a full run
//   npm run bench -- --device cuda:1 --out <folder>
//   npm run bench -- decode transformer --record products-small    a file of that name in bench/results/<gpu name>, and no drawing
//
// Writes <folder>/bench.json, bench.svg and bench.png; the folder is bench/results/<gpu name> where every case is run.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { openSession } from "./arena.ts";
import { Hang } from "./check.ts";
import { drawBench } from "./draw.ts";
import { methods } from "./methods.ts";
import { openTorch, type Torch } from "./peers/torch-fused.ts";
import { nameOf, type Problem, problems, select } from "./problem.ts";
import { productEntry } from "./product-entry.ts";
import { type Head, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { details, summarize } from "./report.ts";
import { resultsFolder } from "./results.ts";
import { type Budget, type CaseRecord, runCase } from "./run-case.ts";

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    seconds: { type: "string", default: "2" },
    ptx: { type: "string" },
    plans: { type: "string" },
    "no-torch": { type: "boolean", default: false },
    kinds: { type: "boolean", default: false },
    device: { type: "string" },
    out: { type: "string" },
    record: { type: "string" },
    shapes: { type: "string" },
  },
});

function budgetOf(seconds: number, quick: boolean): Budget {
  const scale = quick ? 0.25 : 1;
  return {
    flushed: seconds * scale,
    tuning: (seconds * scale) / 2,
    warm: seconds * scale * 0.15,
    sustained: quick ? 0 : Math.max(1, seconds / 2),
  };
}

/** PyTorch for the case that it is the peer of; undefined for the others. */
const torchFor = async ({ work, dtype, m }: Problem): Promise<Torch | string | undefined> =>
  work === "product" || dtype !== "f16" || options["no-torch"] ? undefined : openTorch(m);

/** "200-299": the numbers of random shapes. */
function rangeOf(text: string | undefined): readonly [first: number, last: number] | undefined {
  if (text === undefined) return undefined;
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (first === undefined || last === undefined) throw new Error(`--shapes ${text} is no range such as 0-99`);
  return [Number(first), Number(last)];
}

const seconds = Number(options.seconds);
if (!(seconds > 0)) throw new Error(`--seconds ${options.seconds} is no time`);
const cases = select(words, rangeOf(options.shapes));
await using device = await openDevice((options.device ?? "cuda") as Parameters<typeof openDevice>[0]);
using session = openSession(device, options);
const whole = cases.length === problems.length || options.record !== undefined;
const folder = options.out ?? (whole ? resultsFolder(device) : join(tmpdir(), "warpsmith-bench"));
mkdirSync(folder, { recursive: true });

const records: CaseRecord[] = [];
const begin = performance.now();
/** After each case, so that a run that is cut short leaves what it has. */
function save(): Head {
  const head = headOf(session.header, methods.product, {}, { seconds: Math.round((performance.now() - begin) / 1000) });
  writeRecord(join(folder, `${options.record ?? "bench"}.json`), { ...head, entries: records.map(productEntry) });
  return head;
}

const alive = (): Promise<boolean> =>
  device.sync().then(
    () => true,
    () => false,
  );

for (const problem of cases) {
  const torch = await torchFor(problem);
  try {
    const surroundings = { budget: budgetOf(seconds, options.quick), management: session.management, torch };
    const record = await runCase(device, session.arena, problem, surroundings);
    records.push(record);
    save();
    console.log(`${details(record)}\n`);
  } catch (error) {
    console.log(`${nameOf(problem)} did not run: ${error instanceof Error ? error.message : error}`);
    if (error instanceof Hang) process.exit(1);
    if (!(await alive())) {
      console.log("the device is of no more use; what is left did not run");
      break;
    }
  } finally {
    if (typeof torch === "object") torch.close();
  }
}
console.log(summarize(records));
console.log(save());
if (options.record === undefined) console.log(await drawBench(records, session.header, folder));
if (records.length < cases.length || records.some(({ correct }) => correct === false)) process.exitCode = 1;
