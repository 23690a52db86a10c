// Products by schedules of plain loop nests beside cublasLt and the ceiling of mma.sync, f16 [n, n] @ [n, n] by rows; the tutorial's with B transposed.
//
//   npm run bench:schedules -- --out <file> [--group square | fused | ablation | tutorial] [--paths wmma,mma.sync,wgmma] [--sizes 1024:16384:256]
//                              [--types f32,f16] [--works relu,…] [--plans 2] [--known <record>] [--seconds 0.4] [--patience 180]
//                              [--device cuda | emulator]
//
// `square`: products. `fused`: five fusions beside cublasLt and a kernel. `ablation`: what each pass gains. `tutorial`: what each step of
// examples/schedule/tensorir/further gains. `--known`: of each case of that record its two fastest plans are tried first. `--patience`: seconds that a kernel may be silent before its process is ended. Parts of a run go to files of their own, which
// `bench/schedule-merge.ts` joins. `--device emulator` checks every plan at a small size, and times nothing. See method.md.
import { parseArgs } from "node:util";
import { methods } from "./methods.ts";
import { keepAssembled } from "./mma-sync-prepare.ts";
import { fusions } from "./problem.ts";
import { readRecord, writeRecord } from "./record.ts";
import { headOf, type RunHeader } from "./record-head.ts";
import type { Task } from "./schedule-entrants.ts";
import { scheduleCase, scheduleEntry } from "./schedule-entry.ts";
import type { ScheduleCase } from "./schedule-measure.ts";
import { isLadder, type LadderName, ladderNames, type PathName, pathNames, resultTypes } from "./schedule-plans.ts";
import { caseLines, ladderTable, summary } from "./schedule-report.ts";
import { measureAll } from "./schedule-workers.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    group: { type: "string", default: "square" },
    paths: { type: "string" },
    sizes: { type: "string" },
    types: { type: "string" },
    works: { type: "string" },
    plans: { type: "string" },
    known: { type: "string" },
    seconds: { type: "string", default: "0.4" },
    patience: { type: "string" },
    device: { type: "string", default: "cuda" },
  },
});

function oneOf<T extends string>(option: string, given: string, all: readonly T[]): T {
  const found = all.find((one) => one === given);
  if (found === undefined) throw new Error(`--${option}: “${given}” is none of ${all.join(", ")}`);
  return found;
}
const listOf = <T extends string>(option: string, given: string | undefined, all: readonly T[]): readonly T[] =>
  given === undefined ? all : given.split(",").map((one) => oneOf(option, one, all));

/** "1024,2048" or "1024:16384:256", the last one included. */
function sizesOf(text: string): readonly number[] {
  const sizes = text.split(",").flatMap((part) => {
    const [from, to = from, step = 256] = part.split(":").map(Number);
    return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
  });
  if (sizes.length > 0 && sizes.every((size) => Number.isInteger(size) && size > 0)) return sizes;
  throw new Error(`--sizes: “${text}” is no list of sizes, as 1024,2048 or 1024:16384:256`);
}

const group = oneOf("group", values.group, ["square", "fused", "ablation", "tutorial"]);
const device = oneOf("device", values.device, ["cuda", "emulator"]);
const types =
  group === "tutorial"
    ? (["f32"] as const)
    : listOf("types", values.types ?? (group === "ablation" ? "f32" : undefined), resultTypes);
const works = group === "fused" ? listOf("works", values.works, fusions) : (["product"] as const);
const ladder = ladderNames.find((name) => name === group);
const named: readonly (PathName | LadderName)[] = ladder ? [ladder] : listOf("paths", values.paths, pathNames);
const usual = { square: "1024:16384:256", fused: "2048,4096,8192", ablation: "4096", tutorial: "1024" } as const;
const sizes = sizesOf(values.sizes ?? (device === "emulator" ? "256" : usual[group]));
const plans = Number(values.plans ?? (device === "emulator" ? 100 : 2));
const seconds = Number(values.seconds);
// The tutorial's kernels are assembled in seconds.
const patience = Number(values.patience ?? (group === "tutorial" ? 40 : 180));
const layout = group === "tutorial" ? "nt" : "nn";

const record = values.known === undefined ? [] : readRecord(values.known).entries.map(scheduleCase);
/** Of a record, the names of a case's fastest plans: two of each path. */
const fastestKnown = ({ size, result, work }: Pick<Task, "size" | "result" | "work">): readonly string[] =>
  record
    .filter((one) => one.m === size && one.result === result && one.work === work && one.layout === layout && !isLadder(one.path))
    .flatMap(({ plan, plans }) => {
      const byTime = Object.keys(plans).toSorted((a, b) => plans[a] - plans[b]);
      return [...new Set([...(plan === null ? [] : [plan]), ...byTime])].slice(0, 2);
    });
const tasks = sizes.flatMap((size) =>
  types.flatMap((result) =>
    works.map((work): Task => {
      const what = { size, result, work };
      return { ...what, layout, plans, paths: named, known: fastestKnown(what), without: [] };
    }),
  ),
);
const cases: ScheduleCase[] = [];
const save = (header: RunHeader): void => {
  if (values.out !== undefined)
    writeRecord(values.out, { ...headOf(header, methods.schedules), entries: cases.map(scheduleEntry) });
};

if (values.out === undefined && device === "cuda") throw new Error("--out names the file that the record is written to");
keepAssembled();
await measureAll({ device, seconds, patience }, tasks, {
  put: (found, header) => {
    // A path without a plan for such a task is no case.
    const there = found.filter(
      ({ plan, skipped, correct }) => plan !== null || correct === false || Object.keys(skipped).length > 0,
    );
    cases.push(...there);
    console.log(caseLines(there));
    for (const one of there) if (isLadder(one.path) && one.us !== null) console.log(`\n${ladderTable(one)}`);
    if (device === "emulator") {
      const [{ relative, skipped }] = found;
      for (const [name, error] of Object.entries(relative))
        console.log(`  ${name}: ${skipped[name] ?? `correct, relative error ${error}`}`);
      for (const [name, why] of Object.entries(skipped)) if (!(name in relative)) console.log(`  ${name}: ${why}`);
    }
    save(header);
  },
  log: (line) => console.log(line),
});
console.log(`\n${summary(cases)}`);
if (values.out !== undefined) console.log(`written to ${values.out}`);
if (cases.some(({ correct, skipped }) => correct === false || (device === "emulator" && Object.keys(skipped).length > 0)))
  process.exitCode = 1;
