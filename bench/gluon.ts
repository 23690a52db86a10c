// Beside the kernels of Gluon's tutorials, in one run: copies and sums of large f32 matrices, and f16 products A @ B. And examples/kernels/flash-attention.ts
// beside cuDNN's attention in PyTorch.
//
//   git clone --depth 1 --branch v3.6.0 https://github.com/triton-lang/triton
//   npm run bench:gluon -- --tutorials triton/python/tutorials/gluon [copy] [add] [matmul] [attention] [--seconds 4] [--out <folder>]
//
// Both sides are checked, then timed in turns, each launch alone with a cold L2 cache. Writes bench/results/<gpu name>/gluon.json.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, openDevice, TMA } from "warpsmith";
import { openSession } from "./arena.ts";
import { Checker, makeOperands } from "./check.ts";
import { type Arena, ourName, ours } from "./contenders.ts";
import { given, peersOf } from "./entry.ts";
import { fillNormal } from "./inputs.ts";
import { type Contender, flushed } from "./measure.ts";
import { adds, copies, fill, type Way, wrongElements } from "./memory-kernels.ts";
import { methods } from "./methods.ts";
import { type GluonPeer, openGluon } from "./peers/gluon.ts";
import type { Problem } from "./problem.ts";
import { type Entry, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { table } from "./report.ts";
import { resultsFolder } from "./results.ts";
import { median, round } from "./stats.ts";

/** Rows and columns of the matrices that are copied and added: 4 GiB each. */
const LARGE = [32768, 32768] as const;
/** K of the products of 8192 x 8192. */
const DEPTHS = [512, 1024, 2048, 4096, 8192, 16384] as const;
/** How often both sides are timed, in turns. */
const TURNS = 3;

interface Case {
  readonly name: string;
  readonly shape: readonly number[];
  /** What a launch moves (bytes) or computes (operations). */
  readonly work: number;
  readonly unit: "TB/s" | "TFLOP/s";
}

export interface GluonRecord extends Case {
  /** Median microseconds by name. */
  readonly ours: Readonly<Record<string, number>>;
  readonly theirs: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
  /** Their best Gluon kernel's time over our best. */
  readonly ratio: number | null;
}

/** Heads, length, size of a head, and whether the mask is causal. */
const ATTENTION = [64, 128].flatMap((d) => [0, 1].map((causal) => [32, 8192, d, causal] as const));

const bytes = 4 * LARGE[0] * LARGE[1];
const cases: readonly Case[] = [
  { name: "copy", shape: LARGE, work: 2 * bytes, unit: "TB/s" },
  { name: "add", shape: LARGE, work: 3 * bytes, unit: "TB/s" },
  ...ATTENTION.map(
    ([heads, length, d, causal]): Case => ({
      name: "attention",
      shape: [heads, length, d, causal],
      work: (4 * heads * length * length * d) / (causal ? 2 : 1),
      unit: "TFLOP/s",
    }),
  ),
  ...DEPTHS.map((k): Case => ({ name: "matmul", shape: [8192, 8192, k], work: 2 * 8192 * 8192 * k, unit: "TFLOP/s" })),
];

/** Ours for a case, checked; what they hold is added to `held`. */
async function contendersOf(device: Device, arena: Arena, { name, shape }: Case, held: Disposable[]): Promise<Contender[]> {
  const ready = ({ name, launch }: Way): Contender => ({ name, launch: () => launch(arena.stream) });
  if (name === "matmul") {
    const [m = 0, n = 0, k = 0] = shape;
    const problem = { dtype: "f16", layout: "nn", m, n, k, work: "product", group: "square" } as unknown as Problem;
    const operands = await makeOperands(device, problem);
    held.push(operands);
    using checker = new Checker(device, problem, operands);
    await device.sync();
    const launch = await ours(problem, operands, arena.stream);
    if (!(await checker.rows(launch, "product")).pass) throw new Error("our product is wrong");
    return [{ name: "matmul", launch }];
  }
  if (name === "attention") return [await attentionOf(device, arena, shape, held)];
  const [a, b, c] = [matrixOf(device), matrixOf(device), matrixOf(device)];
  held.push(a, b, c);
  fill(a, 1);
  fill(b, 2);
  const ways = name === "copy" ? copies(a, c) : adds(a, b, c);
  for (const way of ways) {
    c.fill(0);
    await device.sync();
    way.launch(arena.stream);
    arena.timer.wait();
    const wrong = await wrongElements(a, name === "copy" ? undefined : b, c);
    if (wrong > 0) throw new Error(`${name} by ${way.name}: ${wrong} elements are wrong`);
  }
  return ways.map(ready);
}
/** Attention over random numbers, its first rows checked in f64. */
async function attentionOf(device: Device, arena: Arena, shape: readonly number[], held: Disposable[]): Promise<Contender> {
  const { attention } = (await import("../examples/kernels/flash-attention.ts")) as AttentionModule;
  const [heads = 0, length = 0, d = 0, causal = 0] = shape;
  const [q, k, v, o] = [1, 2, 3, 4].map((seed) => {
    const x = device.empty("f16", [heads, length, d]);
    if (seed < 4) fillNormal(x.reshape(heads * length, d), seed);
    held.push(x);
    return x;
  }) as [Cube, Cube, Cube, Cube];
  const map = (x: Cube, rows: number) => new TMA(x, { box: [1, rows, 64], swizzle: "128B" });
  const maps = [map(q, 64), map(k, 128), map(v, 128), map(o, 64)] as const;
  const launch = () => attention.launch({ stream: arena.stream }, ...maps, causal === 1);
  await device.sync();
  launch();
  arena.timer.wait();
  const [keys, values, queries, found] = await Promise.all([k, v, q, o].map((x) => x.slice([0, 1]).read()));
  for (const row of [0, 1, 777, length - 1])
    checkRow(row, { d, length: causal === 1 ? row + 1 : length, keys, values, queries, found });
  return { name: "attention", launch };
}
type Cube = ReturnType<typeof cubeOf>;
const cubeOf = (device: Device) => device.empty("f16", [1, 1, 1] as [number, number, number]);
type AttentionModule = typeof import("../examples/kernels/flash-attention.ts");

interface Rows {
  readonly d: number;
  /** Keys that the row sees. */
  readonly length: number;
  readonly queries: ArrayLike<number>;
  readonly keys: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly found: ArrayLike<number>;
}

/** One row of the first head, in f64. */
function checkRow(row: number, { d, length, queries, keys, values, found }: Rows): void {
  const scores = Array.from({ length }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < d; i++) sum += (queries[row * d + i] ?? 0) * (keys[j * d + i] ?? 0);
    return sum / Math.sqrt(d);
  });
  const most = scores.reduce((a, b) => Math.max(a, b));
  const weights = scores.map((s) => Math.exp(s - most));
  const total = weights.reduce((a, b) => a + b, 0);
  for (let i = 0; i < d; i++) {
    const expected = weights.reduce((sum, w, j) => sum + w * (values[j * d + i] ?? 0), 0) / total;
    const off = Math.abs((found[row * d + i] ?? Number.NaN) - expected);
    if (!(off < 5e-3)) throw new Error(`attention: row ${row}, column ${i} is ${found[row * d + i]}, not ${expected}`);
  }
}

const matrixOf = (device: Device) => device.empty("f32", [...LARGE] as [number, number]);

/** Both sides in turns. */
async function compare(device: Device, arena: Arena, peer: GluonPeer, one: Case, seconds: number): Promise<GluonRecord> {
  const held: Disposable[] = [];
  try {
    const contenders = await contendersOf(device, arena, one, held);
    return await inTurns(arena, contenders, peer, one, seconds / TURNS);
  } finally {
    arena.timer.settle();
    for (const each of held) each[Symbol.dispose]();
  }
}

async function inTurns(
  arena: Arena,
  contenders: readonly Contender[],
  peer: GluonPeer,
  one: Case,
  seconds: number,
): Promise<GluonRecord> {
  const mine: Record<string, number[]> = {};
  const theirs: Record<string, number[]> = {};
  let skipped: Readonly<Record<string, string>> = {};
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, { median: us }] of Object.entries(flushed(arena.timer, contenders, seconds)))
      mine[name] = [...(mine[name] ?? []), us];
    const answer = await peer.measure(one.name, one.shape, seconds);
    skipped = answer.skipped;
    for (const [name, us] of Object.entries(answer.us)) theirs[name] = [...(theirs[name] ?? []), us];
  }
  const medians = (all: Readonly<Record<string, readonly number[]>>): Record<string, number> =>
    Object.fromEntries(Object.entries(all).map(([name, us]) => [name, round(median(us), 6)]));
  const [own, other] = [medians(mine), medians(theirs)];
  const rivals = (name: string): boolean => one.name === "attention" || !name.startsWith("torch");
  const gluon = Object.entries(other).flatMap(([name, us]) => (rivals(name) ? [us] : []));
  const ratio = gluon.length > 0 ? round(Math.min(...gluon) / Math.min(...Object.values(own)), 4) : null;
  return { ...one, ours: own, theirs: other, skipped, ratio };
}

/** A case as an entry of a record. What is wrong ends the run. */
export const gluonEntry = ({ name, shape, work, unit, ours, theirs, skipped, ratio }: GluonRecord): Entry => ({
  ...{ group: name, case: `${name} ${shape.join("x")}`, of: { shape, unit }, us: Math.min(...Object.values(ours)) },
  ...{ peers: peersOf(theirs, Object.keys(skipped)), correct: true, figures: { work, ours, ratio }, ...given({ skipped }) },
});

const rate = ({ work, unit }: Case, us: number): string => {
  const tera = work / us / 1e6;
  return `${tera.toFixed(unit === "TB/s" ? 3 : 1)} ${unit}`;
};

function print(record: GluonRecord): void {
  const rows = [
    ...Object.entries(record.ours).map(([name, us]) => [`${ourName} ${name}`, us.toFixed(1), rate(record, us)]),
    ...Object.entries(record.theirs).map(([name, us]) => [
      name.startsWith("torch") ? name : `Gluon ${name}`,
      us.toFixed(1),
      rate(record, us),
    ]),
  ];
  console.log(table([`${record.name} ${record.shape.join("x")}`, "µs", ""], rows));
  for (const [name, why] of Object.entries(record.skipped)) console.log(`  ${name} does not take part: ${why}`);
  console.log(record.ratio === null ? "" : `  ours is ${record.ratio} x the best of theirs\n`);
}

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { tutorials: { type: "string" }, seconds: { type: "string", default: "4" }, out: { type: "string" } },
  });
  if (options.tutorials === undefined) throw new Error("--tutorials names the folder of Gluon's tutorials");
  await using device = await openDevice("cuda");
  using session = openSession(device);
  const peer = await openGluon(options.tutorials);
  const records: GluonRecord[] = [];
  try {
    for (const one of cases.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
      const record = await compare(device, session.arena, peer, one, Number(options.seconds));
      records.push(record);
      print(record);
    }
  } finally {
    peer.close();
  }
  const ratios = records.filter(({ name }) => name !== "attention").flatMap(({ ratio }) => ratio ?? []);
  const mean = round(Math.exp(ratios.reduce((sum, r) => sum + Math.log(r), 0) / ratios.length), 4);
  console.log(`geometric mean of ${ratios.length}: ${mean}, least ${Math.min(...ratios)}`);
  const folder = options.out ?? resultsFolder(device);
  const head = headOf(session.header, methods.gluon, { triton: peer.version }, { mean: Number.isFinite(mean) ? mean : null });
  writeRecord(join(folder, "gluon.json"), { ...head, entries: records.map(gluonEntry) });
}

if (process.argv[1] === import.meta.filename) await main();
