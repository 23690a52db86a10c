// Sums of rows that an epilogue gives, beside a kernel that reads the result for them: every way checked, then timed in turns, in one process and one stream.
//
//   npm run bench:row-sums [-- --seconds 0.5] [-- --record]
//
// Ways: `matmul` with a sum of each row; `matmul` alone; `matmul` and `sum`; the best of cublasLt's heuristics and `sum`. Prints a table; with --record it writes
// bench/results/<gpu name>/products-row-sums.json, too.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, type DeviceTensor, helper, openDevice } from "warpsmith";
import { matmul, sum } from "warpsmith/kernels";
import { openSession, type Session } from "./arena.ts";
import { compareRows } from "./check.ts";
import { fastest } from "./contenders.ts";
import { fillNormal } from "./inputs.ts";
import { flushed } from "./measure.ts";
import type { Half, Problem } from "./problem.ts";
import { resultsFolder } from "./results.ts";
import { round } from "./stats.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "0.5" },
    record: { type: "boolean", default: false },
    device: { type: "string" },
  },
});
const seconds = Number(options.seconds);

type Case = readonly [m: number, n: number, k: number];
/** Tokens on the layers whose results are normed: attention's output and the second of a feed-forward layer. */
const cases: readonly Case[] = [1, 16, 64, 512, 4096].flatMap((m): readonly Case[] => [
  [m, 4096, 4096],
  [m, 4096, 14336],
]);

type Matrix = DeviceTensor<Half, 2>;

const withSum = helper((value: number) => ({ value, total: value }));

async function run(device: Device, { arena }: Session, [m, n, k]: Case, dtype: Half) {
  const { stream, timer, cublasLt } = arena;
  if (typeof cublasLt === "string") throw new Error(cublasLt);
  const memory = (rows: number, columns: number): Matrix => device.empty(dtype, [rows, columns]) as Matrix;
  const [x, w, out] = [memory(m, k), memory(n, k), memory(m, n)];
  const total = device.empty("f32", [m]) as DeviceTensor<"f32", 1>;
  fillNormal(x, 1);
  fillNormal(w, 2);
  await device.sync();
  const weights = w.transpose(1, 0);
  const problem: Problem = { dtype, layout: "nt", m, n, k, work: "product", group: "odd" };
  const addresses = { a: x.address(), b: weights.address(), out: out.address(), bias: 0n };
  const { launches, free } = cublasLt.candidates(problem, "product", addresses);
  const { index, tried } = fastest(timer, launches, seconds / 2);
  const product = launches[index] as () => void;
  const fused = { out, stream, epilogue: withSum, outputs: { total: { sum: total } } };
  const summed = { out: total, stream };
  const ways = [
    { name: "matmul with sums", launch: () => void matmul(x, weights, fused) },
    { name: "matmul", launch: () => void matmul(x, weights, { out, stream }) },
    {
      name: "matmul and sum",
      launch: () => {
        matmul(x, weights, { out, stream });
        sum(out, summed);
      },
    },
    {
      name: "cublasLt and sum",
      launch: () => {
        product();
        sum(out, summed);
      },
    },
  ];
  const wrong: string[] = [];
  for (const { name, launch } of ways.filter((way) => way.name !== "matmul")) {
    total.fill(Number.NaN);
    out.fill(Number.NaN);
    await device.sync();
    launch();
    timer.wait();
    const [elements, got] = [Float32Array.from(await out.read()), await total.read()];
    const expected = Float64Array.from({ length: m }, (_, row) =>
      elements.subarray(row * n, (row + 1) * n).reduce((all, value) => all + value, 0),
    );
    // Elements are rounded after they are summed: by 2^-9 of them, in a random direction.
    const size = Math.sqrt(elements.subarray(0, n).reduce((all, value) => all + value * value, 0));
    if (compareRows(got, expected, 2 ** -10, size * 2 ** -6).misses > 0) wrong.push(name);
  }
  const times = flushed(timer, ways, seconds);
  timer.settle();
  free();
  for (const tensor of [x, w, out, total]) tensor.dispose();
  const us = Object.fromEntries(Object.entries(times).map(([name, { median }]) => [name, median]));
  const spread = Object.fromEntries(Object.entries(times).map(([name, f]) => [name, [f.p10, f.p90, f.samples]]));
  const timesAsFast = round((us["cublasLt and sum"] ?? Number.NaN) / (us["matmul with sums"] ?? Number.NaN), 4);
  return { m, n, k, dtype, us, timesAsFast, wrong, spread, note: `heuristic ${index + 1} of ${tried}` };
}

await using device = await openDevice((options.device ?? "cuda") as Parameters<typeof openDevice>[0]);
using session = openSession(device);
const records: Awaited<ReturnType<typeof run>>[] = [];
for (const of of cases) {
  const record = await run(device, session, of, "bf16");
  records.push(record);
  const { m, n, k, us, timesAsFast, wrong } = record;
  const times = Object.entries(us).map(([name, time]) => `${name} ${time} µs`);
  console.log(`${m}×${n}×${k}: ${times.join(", ")}; ${timesAsFast} times as fast${wrong.length > 0 ? `; WRONG: ${wrong}` : ""}`);
}
const mean = Math.exp(records.reduce((sum, { timesAsFast }) => sum + Math.log(timesAsFast), 0) / records.length);
console.log(`geometric mean ${round(mean, 4)}`);
if (options.record) {
  const folder = resultsFolder(device);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "products-row-sums.json"), `${JSON.stringify({ ...session.header, cases: records }, null, 1)}\n`);
}
if (records.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
