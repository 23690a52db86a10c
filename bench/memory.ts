// What moves memory: functions of warpsmith/kernels over rows and elements beside PyTorch's, in one run.
//
//   npm run bench:memory -- [softmax] [rms_norm] … [--seconds 0.2] [--plans] [--out <folder>] [--device emulator]
//
// PyTorch compiles everything first. Then each case is checked, and timed by PyTorch, by us, and by PyTorch again, each launch alone with a cold L2 cache; its memory is freed before the
// next one. Writes bench/results/<gpu name>/memory.json and draws it. `--device emulator` checks small matrices and times nothing.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import type { RowPlan } from "warpsmith/kernels";
import { type Contender, flushed } from "./measure.ts";
import { Memory, type MemoryCase, type Ready, rowCases } from "./memory-cases.ts";
import { drawMemory, type MemoryRecord } from "./memory-draw.ts";
import { memoryEntry, offBy } from "./memory-entry.ts";
import { selectCases } from "./memory-select-cases.ts";
import { methods } from "./methods.ts";
import { loadDriver } from "./native/driver.ts";
import { openTorchMemory, type TorchMemory } from "./peers/torch-memory.ts";
import { writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { table } from "./report.ts";
import { resultsFolder } from "./results.ts";
import { geometricMean, round } from "./stats.ts";
import { CudaTimer } from "./timer.ts";
import { treeOf } from "./tree.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "0.2" },
    plans: { type: "boolean", default: false },
    out: { type: "string" },
    device: { type: "string", default: "cuda" },
  },
});
const cases = [...rowCases, ...selectCases].filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const onEmulator = values.device === "emulator";
/** As many overwrites of the cache as before each launch of PyTorch: `FLUSHES` of its script. */
const flushes = 2;

const nameOf = (plan: RowPlan | undefined): string =>
  plan
    ? Object.entries(plan)
        .map(([field, value]) => `${field} ${value}`)
        .join(", ")
    : "chosen";

const device = await openDevice(onEmulator ? "emulator" : "cuda");
const stream = device.stream();

/** Each plan that takes part, and what is wrong with the others. */
async function checked(ready: Ready, one: MemoryCase): Promise<{ contenders: Contender[]; wrong: Record<string, string> }> {
  const [contenders, wrong]: [Contender[], Record<string, string>] = [[], {}];
  for (const plan of [undefined, ...((values.plans && one.plans) || [])]) {
    const contender = { name: nameOf(plan), launch: () => ready.launch(plan, stream) };
    try {
      contender.launch();
      const distance = await ready.distance();
      if (distance <= 1) contenders.push(contender);
      else wrong[contender.name] = `${offBy}${round(distance)} times what is allowed`;
    } catch (error) {
      wrong[contender.name] = error instanceof Error ? (error.message.split("\n")[0] ?? "failed") : String(error);
    }
  }
  return { contenders, wrong };
}

type Times = Readonly<Record<string, number>>;

const meanOf = (first: Times, second: Times): Times =>
  Object.fromEntries(Object.entries(first).map(([name, us]) => [name, round((us + (second[name] ?? us)) / 2, 5)]));

/** A small matrix for the emulator. */
const shapeOf = ({ shape: [rows, columns] }: MemoryCase): readonly [number, number] =>
  onEmulator ? [Math.min(rows, 8), Math.min(columns, 2048)] : [rows, columns];

async function measure(
  one: MemoryCase,
  ready: Ready,
  { contenders, wrong }: Awaited<ReturnType<typeof checked>>,
  timer: CudaTimer,
  torch: TorchMemory | undefined,
): Promise<MemoryRecord> {
  const { name, dtype, shape } = one;
  const seconds = Number(values.seconds);
  const before = (await torch?.measure(name, seconds)) ?? {};
  const figures = flushed(timer, contenders, (seconds * Math.max(2, contenders.length)) / 2, { least: 9, flushes });
  const peers = meanOf(before, (await torch?.measure(name, seconds)) ?? {});
  const plans = Object.fromEntries(Object.entries(figures).map(([plan, { median }]) => [plan, median]));
  const { chosen: us = null } = plans;
  const best = Math.min(...Object.values(peers));
  const ratio = us && Number.isFinite(best) ? round(best / us) : null;
  return { name, dtype, shape, bytes: ready.bytes, us, tbps: us && round(ready.bytes / us / 1e6), ratio, peers, plans, wrong };
}

const opened = onEmulator ? undefined : await openTorchMemory(cases.map(({ name }) => name));
const torch = typeof opened === "string" ? undefined : opened;
if (typeof opened === "string") console.log(`PyTorch is left out: ${opened}`);
for (const [way, why] of Object.entries(torch?.skipped ?? {})) console.log(`${way} is left out: ${why}`);
const timer = onEmulator ? undefined : new CudaTimer(loadDriver(), stream.native as bigint);
const folder = values.out ?? resultsFolder(device);
const header = { gpu: device.name, date: new Date().toISOString(), node: process.version, commit: treeOf() };
const head = headOf(header, methods.memory, torch ? { torch: torch.version } : {});
const records: MemoryRecord[] = [];
let right = 0;
for (const one of cases) {
  using memory = new Memory(device);
  const ready = one.make(memory, shapeOf(one));
  const found = await checked(ready, one);
  for (const [plan, why] of Object.entries(found.wrong)) console.log(`${one.name}, ${plan}: ${why}`);
  if (found.contenders.some(({ name }) => name === "chosen")) right++;
  if (!timer) continue;
  const record = await measure(one, ready, found, timer, torch);
  records.push(record);
  console.log(JSON.stringify(record));
  writeRecord(join(folder, "memory.json"), { ...head, entries: records.map(memoryEntry) });
}
console.log(`${right} of ${cases.length} cases are right`);
if (timer) {
  const said = (x: number | null | undefined): string => (x === null || x === undefined ? "–" : String(x));
  const rows = records.map((r) => [
    r.name,
    `${r.dtype} ${r.shape.join(" x ")}`,
    said(r.us),
    said(r.tbps),
    said(Math.min(...Object.values(r.peers))),
    said(r.ratio),
  ]);
  console.log(table(["case", "of", "us", "TB/s", "PyTorch us", "x"], rows));
  const ratios = records.flatMap(({ ratio }) => (ratio === null ? [] : [ratio]));
  if (ratios.length > 0) console.log(`geometric mean ${round(geometricMean(ratios))}`);
  console.log(await drawMemory(records, header, folder));
  torch?.close();
  timer[Symbol.dispose]();
}
await device.dispose();
