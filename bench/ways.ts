// Several ways to the same results, one of them with a product of cublasLt: each checked, then timed in turns, in one process and one stream. What `bench/gated.ts`,
// `bench/row-sums.ts` and `bench/second-output.ts` share.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, type DeviceTensor, openDevice, type Stream } from "warpsmith";
import { openSession, type Session } from "./arena.ts";
import { fastest } from "./contenders.ts";
import { type Contender, flushed } from "./measure.ts";
import type { Method } from "./methods.ts";
import { type Half, sizeOf } from "./problem.ts";
import { type Entry, type Spread, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { resultsFolder } from "./results.ts";
import { round } from "./stats.ts";

export type Matrix = DeviceTensor<Half, 2>;
export type Case = readonly [m: number, n: number, k: number];

/** One case on a device. */
export interface Room {
  /** The product that cublasLt has a part in: [M, K], [K, N], the second as [N, K] in memory, and [M, N]. */
  readonly product: readonly [a: Matrix, b: Matrix, out: Matrix];
  /** `product`: launches that of cublasLt. */
  ways(product: () => void, stream: Stream): readonly Contender[];
  /** What ways write: NaN before each is checked. */
  readonly written: readonly DeviceTensor[];
  /** How many numbers of what a way has written are wrong; of a way that writes less than all, 0. */
  misses(way: string): Promise<number>;
  readonly tensors: readonly Disposable[];
}

/** What is compared. */
export interface Comparison {
  readonly cases: readonly Case[];
  /** The file in bench/results. */
  readonly file: string;
  readonly method: Method;
  /** Whose time over whose is what a case comes to. */
  readonly over: readonly [slower: string, faster: string];
  room(device: Device, of: Case, dtype: Half): Promise<Room>;
}

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "0.5" },
    record: { type: "boolean", default: false },
    device: { type: "string" },
  },
});
const seconds = Number(options.seconds);

/** What one case gave, by way. */
export interface WaysRecord {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly dtype: string;
  readonly us: Readonly<Record<string, number>>;
  readonly timesAsFast: number;
  readonly wrong: readonly string[];
  readonly spread: Readonly<Record<string, Spread>>;
  readonly note: string;
}

/** A case as an entry of a record: `faster` is ours, all others are peers. */
export function waysEntry(faster: string, record: WaysRecord): Entry {
  const { m, n, k, dtype, us, timesAsFast, wrong, spread, note } = record;
  const { [faster]: own = null, ...peers } = us;
  return {
    ...{
      group: faster,
      case: `${dtype} ${sizeOf(record)}`,
      of: { dtype, m, n, k },
      us: own,
      peers,
      correct: !wrong.includes(faster),
    },
    ...{ spread, checks: Object.fromEntries(Object.keys(us).map((way) => [way, { pass: !wrong.includes(way) }])) },
    ...{ figures: { timesAsFast }, notes: { cublasLt: note } },
  };
}

async function run(device: Device, { arena }: Session, comparison: Comparison, of: Case, dtype: Half): Promise<WaysRecord> {
  const { stream, timer, cublasLt } = arena;
  if (typeof cublasLt === "string") throw new Error(cublasLt);
  const room = await comparison.room(device, of, dtype);
  await device.sync();
  const [a, b, out] = room.product;
  const [m, n, k] = [a.shape[0], b.shape[1], a.shape[1]];
  const addresses = { a: a.address(), b: b.address(), out: out.address(), bias: 0n };
  const { launches, free } = cublasLt.candidates(
    { dtype, layout: "nt", m, n, k, work: "product", group: "odd" },
    "product",
    addresses,
  );
  const { index, tried } = fastest(timer, launches, seconds / 2);
  const ways = room.ways(launches[index] as () => void, stream);
  const wrong: string[] = [];
  for (const { name, launch } of ways) {
    for (const tensor of room.written) tensor.fill(Number.NaN);
    await device.sync();
    launch();
    timer.wait();
    if ((await room.misses(name)) > 0) wrong.push(name);
  }
  const times = flushed(timer, ways, seconds);
  timer.settle();
  free();
  for (const tensor of room.tensors) tensor[Symbol.dispose]();
  const us = Object.fromEntries(Object.entries(times).map(([name, { median }]) => [name, median]));
  const spread = Object.fromEntries(Object.entries(times).map(([name, f]) => [name, [f.p10, f.p90, f.samples] as const]));
  const [slower = Number.NaN, faster = Number.NaN] = comparison.over.map((name) => us[name]);
  return {
    ...{ m: of[0], n: of[1], k: of[2], dtype, us, timesAsFast: round(slower / faster, 4) },
    ...{ wrong, spread, note: `heuristic ${index + 1} of ${tried}` },
  };
}

/** Runs all cases, prints a line for each, and with --record writes the file. Exit status 1 where a way was wrong. */
export async function compareWays(comparison: Comparison): Promise<void> {
  await using device = await openDevice((options.device ?? "cuda") as Parameters<typeof openDevice>[0]);
  using session = openSession(device);
  const records: WaysRecord[] = [];
  for (const of of comparison.cases) {
    const record = await run(device, session, comparison, of, "bf16");
    records.push(record);
    const { us, timesAsFast, wrong } = record;
    const times = Object.entries(us).map(([name, time]) => `${name} ${time} µs`);
    const misses = wrong.length > 0 ? `; WRONG: ${wrong}` : "";
    console.log(`${of.join("×")}: ${times.join(", ")}; ${timesAsFast} times as fast${misses}`);
  }
  const mean = Math.exp(records.reduce((sum, { timesAsFast }) => sum + Math.log(timesAsFast), 0) / records.length);
  console.log(`geometric mean ${round(mean, 4)}`);
  if (options.record) {
    const entries = records.map((record) => waysEntry(comparison.over[1], record));
    const file = join(resultsFolder(device), `${comparison.file}.json`);
    writeRecord(file, { ...headOf(session.header, comparison.method), entries });
  }
  if (records.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
}

/** New memory of [rows, columns]. */
export const matrixOf = (device: Device, dtype: Half, rows: number, columns: number): Matrix =>
  device.empty(dtype, [rows, columns]) as Matrix;

/** The parts of a result that are compared with sums in f64: of the first and the last row, the first and the last columns. */
export function partsOf(m: number, n: number): readonly (readonly [row: number, col: number, columns: number])[] {
  const columns = Math.min(n, 256);
  return [0, m - 1].flatMap((row) => [0, n - columns].map((col) => [row, col, columns] as const));
}

/** A line of `x` times so many lines of `w`, [N, K], from `col` on, in f64. */
export async function productsOf(x: Matrix, w: Matrix, row: number, col: number, columns: number): Promise<Float64Array> {
  const [line, weights] = [await x.slice([row, row + 1]).read(), await w.slice([col, col + columns]).read()];
  const k = line.length;
  return Float64Array.from({ length: columns }, (_, i) => {
    let sum = 0;
    for (let l = 0; l < k; l++) sum += (line[l] ?? Number.NaN) * (weights[i * k + l] ?? Number.NaN);
    return sum;
  });
}
