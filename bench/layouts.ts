// What it costs `matmul` how A and B lie in memory: all four layouts of a size, checked and timed in turns.
//
//   npm run bench:layouts                                    the square sizes, and the wide ones, in f16
//   npm run bench:layouts -- 1536 512x14336x4096 bf16 --seconds 4 --out <folder>
//
// Writes bench/results/<gpu name>/layouts.json, with an entry for each layout of each size. `ofNt` is the time of NT over this one's.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { openSession } from "./arena.ts";
import { Checker, Hang, makeOperands, type Operands } from "./check.ts";
import { type Arena, ours, type Rival } from "./contenders.ts";
import { flushed } from "./measure.ts";
import { methods } from "./methods.ts";
import { type Layout, type Problem, problems, select, sizeOf } from "./problem.ts";
import { type Entry, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { table } from "./report.ts";
import { resultsFolder } from "./results.ts";
import { type Figure, round } from "./stats.ts";

export interface LayoutRecord {
  readonly layout: Layout;
  readonly us: number;
  readonly ofNt: number;
  readonly correct: boolean;
  readonly spread: readonly [p10: number, p90: number, samples: number];
}

const layouts: readonly Layout[] = ["nt", "nn", "tn", "tt"];

/** Checks and times the layouts of one problem. */
async function compare(device: Device, arena: Arena, problem: Problem, seconds: number): Promise<readonly LayoutRecord[]> {
  const held: Operands[] = [];
  const correct = new Map<string, boolean>();
  const rivals: Rival[] = [];
  try {
    for (const layout of layouts) {
      const laid = { ...problem, layout };
      const operands = await makeOperands(device, laid);
      held.push(operands);
      using checker = new Checker(device, laid, operands);
      await device.sync();
      const launch = await ours(laid, operands, arena.stream);
      correct.set(layout, (await checker.rows(launch, "product")).pass);
      rivals.push({ name: layout, work: "product", launch });
    }
    return recordsOf(flushed(arena.timer, rivals, seconds) as Readonly<Record<Layout, Figure>>, correct);
  } finally {
    arena.timer.settle();
    for (const operands of held) operands[Symbol.dispose]();
  }
}

const recordsOf = (figures: Readonly<Record<Layout, Figure>>, correct: ReadonlyMap<string, boolean>): readonly LayoutRecord[] =>
  layouts.map((layout) => {
    const { median: us, p10, p90, samples } = figures[layout];
    return {
      layout,
      us,
      ofNt: round(figures.nt.median / us),
      correct: correct.get(layout) ?? false,
      spread: [p10, p90, samples],
    };
  });

/** The layouts of a problem as entries of a record. */
export function layoutEntries(
  problem: Pick<Problem, "dtype" | "m" | "n" | "k">,
  records: readonly LayoutRecord[],
): readonly Entry[] {
  const { dtype, m, n, k } = problem;
  return records.map(({ layout, us, ofNt, correct, spread }) => ({
    ...{ group: `${dtype} ${sizeOf(problem)}`, case: layout, of: { dtype, layout, m, n, k }, us, peers: {}, correct },
    ...{ spread: { [layout]: spread }, figures: { ofNt } },
  }));
}

/** A problem for each size that the words describe, in the types that they name, else in f16. */
function chosen(words: readonly string[]): readonly Problem[] {
  const found = words.length > 0 ? select(words) : problems.filter(({ group }) => group === "square" || group === "wide");
  const types = words.some((word) => word === "bf16") ? ["bf16", "f16"].filter((type) => words.includes(type)) : ["f16"];
  const fitting = found.filter(({ dtype, work }) => types.includes(dtype) && work === "product");
  return [...new Map(fitting.map((problem) => [`${problem.dtype} ${sizeOf(problem)}`, problem])).values()];
}

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: "string", default: "2" }, out: { type: "string" } },
  });
  await using device = await openDevice("cuda");
  using session = openSession(device);
  const entries: Entry[] = [];
  for (const problem of chosen(positionals)) {
    const name = `${problem.dtype} ${sizeOf(problem)}`;
    const found = await compare(device, session.arena, problem, Number(options.seconds)).catch((error: unknown) => {
      // Closing the device would wait for ever.
      if (error instanceof Hang) {
        console.error(`${name}: ${error.message}`);
        process.exit(1);
      }
      throw error;
    });
    entries.push(...layoutEntries(problem, found));
    const rows = found.map(({ layout, us, ofNt, correct }) => [
      `  ${layout}`,
      us.toFixed(2),
      ofNt.toFixed(3),
      correct ? "correct" : "WRONG",
    ]);
    console.log(`${table([name, "µs", "× NT", ""], rows)}\n`);
  }
  const folder = options.out ?? resultsFolder(device);
  writeRecord(join(folder, "layouts.json"), { ...headOf(session.header, methods.layouts), entries });
  console.log(`written to ${folder}/layouts.json`);
}

if (process.argv[1] === import.meta.filename) await main();
