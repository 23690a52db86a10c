// What each step of a ladder of GEMM kernels gives: all of them, and cublasLt's best, checked and timed in turns.
//
//   npm run bench:ladder                                  the steps of examples/gemm at 4096³ and 8192³
//   npm run bench:ladder -- 2048 --seconds 4 --out <folder>
//   npm run bench:ladder -- --steps <file>                other steps: a module that exports `ladder`
//
// Writes bench/results/<gpu name>/ladder.json, with an entry for each step at each size.
// `gain` is the time of the step before, or of the one that it is made from, over this one's.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import type { Step } from "../examples/gemm/ladder.ts";
import { openSession } from "./arena.ts";
import { Checker, Hang, makeOperands, type Operands, type RowCheck } from "./check.ts";
import { type Arena, entriesFor, type Rival } from "./contenders.ts";
import { given } from "./entry.ts";
import { flushed } from "./measure.ts";
import { methods } from "./methods.ts";
import { type Problem, teraflops } from "./problem.ts";
import { type Entry, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { ratio, table } from "./report.ts";
import { resultsFolder } from "./results.ts";
import { type Figure, round } from "./stats.ts";

export interface StepRecord {
  readonly step: string;
  readonly us: number | null;
  readonly tflops: number | null;
  /** Times as fast as the step before that ran, or as the one that it is made from. */
  readonly gain: number | null;
  /** Times as fast as the best of cublasLt's heuristics. */
  readonly ofLt: number | null;
  readonly correct: boolean | null;
  readonly spread?: readonly [p10: number, p90: number];
  readonly skipped?: string;
}

interface Entrant {
  readonly step: Pick<Step, "name" | "from">;
  readonly check?: RowCheck;
  readonly rival?: Rival;
  readonly skipped?: string;
}

type Matrix = DeviceTensor<"f16", 2>;

/** Makes a step's kernel, launches and checks it. */
async function enter(step: Step, problem: Problem, arena: Arena, { a, b, out }: Operands, checker: Checker): Promise<Entrant> {
  const stored = b.transpose(1, 0);
  try {
    const product = step.make(problem.m, problem.n, problem.k, out.device.multiprocessors);
    const launch = () => product.launch(a as Matrix, stored as Matrix, out as Matrix, { stream: arena.stream });
    const check = await checker.rows(launch, "product");
    return { step, check, rival: { name: step.name, work: "product", launch } };
  } catch (error) {
    if (error instanceof Hang) throw new Hang(`${step.name}: ${error.message}`);
    return { step, skipped: (error instanceof Error ? error.message : String(error)).split("\n")[0] };
  }
}

/** The best of cublasLt, or nobody. */
async function peerOf(arena: Arena, problem: Problem, operands: Operands, seconds: number): Promise<readonly Rival[]> {
  const lt = entriesFor(arena, problem, operands, seconds).find(([name]) => name === "cublasLt");
  try {
    return lt ? [await lt[1]()] : [];
  } catch (error) {
    console.log(`no cublasLt: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

/** What each step took, beside the one before that ran or the one that it is made from. */
export function recordsOf(
  entrants: readonly Entrant[],
  figures: Readonly<Record<string, Figure>>,
  problem: Problem,
): readonly StepRecord[] {
  const lt = figures.cublasLt?.median;
  let before: number | undefined;
  return entrants.map(({ step: { name: step, from }, check, skipped }) => {
    const figure = figures[step];
    if (!figure)
      return {
        step,
        us: null,
        tflops: null,
        gain: null,
        ofLt: null,
        correct: null,
        ...(skipped === undefined ? {} : { skipped }),
      };
    const us = figure.median;
    const earlier = from === undefined ? before : figures[from]?.median;
    const [gain, ofLt] = [ratio(earlier, us), ratio(lt, us)].map((x) => (x === undefined ? null : round(x)));
    before = us;
    const spread = [figure.p10, figure.p90] as const;
    return { step, us, tflops: round(teraflops(problem, us)), gain, ofLt, correct: check?.pass ?? null, spread };
  });
}

/** The steps at one size as entries of a record. */
export const ladderEntries = (size: number, records: readonly StepRecord[]): readonly Entry[] =>
  records.map(({ step, us, tflops, gain, ofLt, correct, spread, skipped }) => ({
    ...{ group: `${size}³`, case: step, of: { dtype: "f16", layout: "nt", m: size, n: size, k: size }, us, peers: {}, correct },
    ...given({ spread: spread && { [step]: spread } }),
    figures: { tflops, gain, ofLt },
    ...given({ skipped: skipped === undefined ? {} : { [step]: skipped } }),
  }));

/** Checks and times the steps at one size. */
export async function climb(
  device: Device,
  arena: Arena,
  steps: readonly Step[],
  size: number,
  seconds: number,
): Promise<readonly StepRecord[]> {
  const problem: Problem = { dtype: "f16", layout: "nt", m: size, n: size, k: size, work: "product", group: "square" };
  using operands = await makeOperands(device, problem);
  using checker = new Checker(device, problem, operands);
  await device.sync();
  const entrants: Entrant[] = [];
  for (const step of steps) entrants.push(await enter(step, problem, arena, operands, checker));
  const peers = await peerOf(arena, problem, operands, seconds / 2);
  const rivals = [...entrants.flatMap(({ rival }) => rival ?? []), ...peers];
  try {
    return recordsOf(entrants, rivals.length > 0 ? flushed(arena.timer, rivals, seconds) : {}, problem);
  } finally {
    arena.timer.settle();
    for (const rival of rivals) rival.free?.();
  }
}

const show = (size: number, records: readonly StepRecord[]): string =>
  table(
    [`${size}³`, "µs", "TFLOP/s", "gain", "× Lt", ""],
    records.map(({ step, us, tflops, gain, ofLt, correct, skipped }) => [
      ...[`  ${step}`, us?.toFixed(2) ?? "–", tflops?.toFixed(0) ?? "–", gain?.toFixed(3) ?? "–", ofLt?.toFixed(3) ?? "–"],
      skipped ?? (correct ? "correct" : "WRONG"),
    ]),
  );

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      steps: { type: "string", default: join(import.meta.dirname, "../examples/gemm/ladder.ts") },
      seconds: { type: "string", default: "3" },
      out: { type: "string" },
    },
  });
  const { ladder } = (await import(pathToFileURL(resolve(options.steps)).href)) as { readonly ladder: readonly Step[] };
  await using device = await openDevice("cuda");
  using session = openSession(device);
  const sizes = positionals.length > 0 ? positionals.map(Number) : [4096, 8192];
  const entries: Entry[] = [];
  for (const size of sizes) {
    const found = await climb(device, session.arena, ladder, size, Number(options.seconds)).catch((error: unknown) => {
      // Closing the device would wait for ever.
      if (error instanceof Hang) {
        console.error(error.message);
        process.exit(1);
      }
      throw error;
    });
    entries.push(...ladderEntries(size, found));
    console.log(`${show(size, found)}\n`);
  }
  const folder = options.out ?? resultsFolder(device);
  writeRecord(join(folder, "ladder.json"), { ...headOf(session.header, methods.ladder), entries });
  console.log(`written to ${folder}/ladder.json`);
}

if (process.argv[1] === import.meta.filename) await main();
