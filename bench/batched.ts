// Batches of products beside cublasLt's strided batches: every case checked, then timed in turns, in one process and one stream.
//
//   npm run bench:batched [-- --seconds 0.5] [-- --record]
//
// Prints a table; with --record it writes bench/results/<gpu name>/products-batched.json, too.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";
import { openSession, type Session } from "./arena.ts";
import { Checker, type Operands } from "./check.ts";
import { fastest } from "./contenders.ts";
import { numbersIn } from "./entry.ts";
import { fillNormal } from "./inputs.ts";
import { flushed } from "./measure.ts";
import { methods } from "./methods.ts";
import { type Half, type Layout, nameOf, type Problem, teraflops } from "./problem.ts";
import { type Entry, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { resultsFolder } from "./results.ts";
import { geometricMean, round } from "./stats.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "0.5" },
    record: { type: "boolean", default: false },
    device: { type: "string" },
  },
});
const seconds = Number(options.seconds);

type Case = readonly [batch: number, m: number, n: number, k: number, layout: Layout];
/** Scores and values of attention, layers of experts, the squares that everybody times, few rows, and extents that fit no tile. */
const cases: readonly Case[] = [
  [64, 2048, 2048, 128, "nt"],
  [64, 2048, 128, 2048, "nn"],
  [8, 512, 14336, 4096, "nt"],
  [8, 16, 14336, 4096, "nt"],
  [64, 512, 512, 512, "nt"],
  [16, 1024, 1024, 1024, "nn"],
  [8, 2048, 2048, 2048, "nt"],
  [4, 4096, 4096, 4096, "nt"],
  [256, 128, 128, 64, "nt"],
  [128, 1, 4096, 128, "nn"],
  [48, 200, 136, 328, "nt"],
];

type Batch = DeviceTensor<Half, 3>;

interface Room {
  readonly a: Batch;
  readonly b: Batch;
  readonly out: Batch;
  /** Those of one product. */
  one(i: number): Operands;
  free(): void;
}

function roomFor(device: Device, [batch, m, n, k, layout]: Case, dtype: Half): Room {
  const memory = (rows: number, columns: number): Batch => device.empty(dtype, [batch, rows, columns]) as Batch;
  const a = layout[0] === "t" ? memory(k, m) : memory(m, k);
  const b = layout[1] === "t" ? memory(n, k) : memory(k, n);
  const [out, spare] = [memory(m, n), device.empty(dtype, [1, n]) as DeviceTensor<Half, 2>];
  [a, b].forEach((x, i) => {
    fillNormal(x.reshape(x.shape[0] * x.shape[1], x.shape[2]), i + 1);
  });
  const turned = (x: Batch, isTurned: boolean): Batch => (isTurned ? x.transpose(0, 2, 1) : x);
  const [left, right] = [turned(a, layout[0] === "t"), turned(b, layout[1] === "t")];
  const matrix = (x: Batch, i: number) => x.slice([i, i + 1]).reshape(x.shape[1], x.shape[2]);
  const unused = { bias: spare.reshape(n), wideBias: device.empty("f32", [n]), residual: spare, expected: spare } as const;
  return {
    ...{ a: left, b: right, out },
    one: (i) => ({ a: matrix(left, i), b: matrix(right, i), out: matrix(out, i), ...unused, [Symbol.dispose]() {} }),
    free() {
      for (const x of [a, b, out, spare, unused.wideBias]) x.dispose();
    },
  };
}

/** Whether the first, a middle and the last product are right. */
async function isRight(device: Device, room: Room, problem: Problem, launch: () => void): Promise<boolean> {
  const count = problem.batch ?? 1;
  for (const i of new Set([0, count >> 1, count - 1])) {
    using checker = new Checker(device, problem, room.one(i));
    const { pass } = await checker.rows(launch, "product");
    if (!pass) return false;
  }
  return true;
}

async function run(device: Device, { arena }: Session, of: Case, dtype: Half): Promise<Entry> {
  const [batch, m, n, k, layout] = of;
  const problem: Problem = { dtype, layout, m, n, k, batch, work: "product", group: "odd" };
  const room = roomFor(device, of, dtype);
  const { a, b, out } = room;
  const { stream, timer, cublasLt } = arena;
  await device.sync();
  const ours = () => void matmul(a, b, { out, stream });
  const correct = await isRight(device, room, problem, ours);
  const addresses = { a: a.address(), b: b.address(), out: out.address(), bias: 0n };
  if (typeof cublasLt === "string") throw new Error(cublasLt);
  const { launches, free } = cublasLt.candidates(problem, "product", addresses);
  const { index, tried } = fastest(timer, launches, seconds / 2);
  const peer = launches[index] as () => void;
  const peerCorrect = await isRight(device, room, problem, peer);
  const times = flushed(
    timer,
    [
      { name: "warpsmith", launch: ours },
      { name: "cublasLt", launch: peer },
    ],
    seconds,
  );
  timer.settle();
  free();
  room.free();
  const [us, lt] = [times.warpsmith?.median ?? Number.NaN, times.cublasLt?.median ?? Number.NaN];
  const spread = Object.fromEntries(Object.entries(times).map(([name, f]) => [name, [f.p10, f.p90, f.samples] as const]));
  return {
    ...{ group: "batched", case: `${batch} of ${nameOf(problem)}`, of: { dtype, layout, batch, m, n, k } },
    ...{
      us,
      peers: { cublasLt: lt },
      correct,
      spread,
      checks: { warpsmith: { pass: correct }, cublasLt: { pass: peerCorrect } },
    },
    figures: { timesAsFast: round(lt / us, 4), tflops: round(batch * teraflops(problem, us)) },
    notes: { cublasLt: `heuristic ${index + 1} of ${tried}` },
  };
}

await using device = await openDevice((options.device ?? "cuda") as Parameters<typeof openDevice>[0]);
using session = openSession(device);
const entries: Entry[] = [];
for (const of of cases) {
  const entry = await run(device, session, of, "bf16");
  entries.push(entry);
  const { us, peers, correct, checks, figures } = entry;
  const wrong = `${correct ? "" : " WRONG"}${checks?.cublasLt?.pass ? "" : " (cublasLt wrong)"}`;
  const { tflops, timesAsFast } = numbersIn(figures);
  console.log(`${entry.case}: ${us} µs, ${tflops} TFLOP/s, cublasLt ${peers.cublasLt} µs, ${timesAsFast} times as fast${wrong}`);
}
const ratios = entries.flatMap(({ figures }) => numbersIn(figures).timesAsFast ?? []);
console.log(`geometric mean ${round(geometricMean(ratios), 4)}`);
if (options.record)
  writeRecord(join(resultsFolder(device), "products-batched.json"), { ...headOf(session.header, methods.batched), entries });
if (entries.some(({ correct }) => !correct)) process.exitCode = 1;
