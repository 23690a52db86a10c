// silu(x W1) * (x W3) in one kernel, beside what it takes without: every way checked, then timed in turns, in one process and one stream.
//
//   npm run bench:gated [-- --seconds 0.5] [-- --record]
//
// Ways: `gatedMatmul`; `matmul` with both weights in one tensor, and `siluMul`; and the best of cublasLt's heuristics for that product, and `siluMul`. Prints a table; with
// --record it writes bench/results/<gpu name>/products-gated.json, too.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import { gatedMatmul, matmul, siluMul } from "warpsmith/kernels";
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
/** Tokens, and the columns of either weight, of models that gate: 7B, 8B and 70B of LLaMA. */
const cases: readonly Case[] = [
  ...[1, 16, 64, 512, 4096].flatMap((m): readonly Case[] => [
    [m, 11008, 4096],
    [m, 14336, 4096],
  ]),
  [1, 28672, 8192],
  [2048, 28672, 8192],
];

type Matrix = DeviceTensor<Half, 2>;

/** The parts of a result that are compared with sums in f64: of the first and the last row, the first and the last columns. */
function partsOf(m: number, n: number): readonly (readonly [row: number, col: number, columns: number])[] {
  const columns = Math.min(n, 256);
  return [0, m - 1].flatMap((row) => [0, n - columns].map((col) => [row, col, columns] as const));
}

/** How many elements of those parts are wrong. */
async function missesOf(x: Matrix, w: Matrix, out: Matrix): Promise<number> {
  const [m, n] = out.shape;
  const k = x.shape[1];
  let misses = 0;
  for (const [row, col, columns] of partsOf(m, n)) {
    const line = await x.slice([row, row + 1]).read();
    const weights = [await w.slice([col, col + columns]).read(), await w.slice([n + col, n + col + columns]).read()];
    const expected = Float64Array.from({ length: columns }, (_, i) => {
      const [gate = 0, up = 0] = weights.map((of) => {
        let sum = 0;
        for (let l = 0; l < k; l++) sum += (line[l] ?? Number.NaN) * (of[i * k + l] ?? Number.NaN);
        return sum;
      });
      return (gate / (1 + Math.exp(-gate))) * up;
    });
    const scale = Math.sqrt(expected.reduce((sum, value) => sum + value * value, 0) / columns);
    const got = await out.slice([row, row + 1], [col, col + columns]).read();
    misses += compareRows(got, expected, 2 ** -5, scale * 2 ** -6).misses;
  }
  return misses;
}

async function run(device: Device, { arena }: Session, [m, n, k]: Case, dtype: Half) {
  const { stream, timer, cublasLt } = arena;
  if (typeof cublasLt === "string") throw new Error(cublasLt);
  const memory = (rows: number, columns: number): Matrix => device.empty(dtype, [rows, columns]) as Matrix;
  const [x, w, wide, out] = [memory(m, k), memory(2 * n, k), memory(m, 2 * n), memory(m, n)];
  fillNormal(x, 1);
  fillNormal(w, 2);
  await device.sync();
  const [gate, up, both] = [w.slice([0, n]).transpose(1, 0), w.slice([n, 2 * n]).transpose(1, 0), w.transpose(1, 0)];
  const [left, right] = [wide.slice(undefined, [0, n]), wide.slice(undefined, [n, 2 * n])];
  const problem: Problem = { dtype, layout: "nt", m, n: 2 * n, k, work: "product", group: "odd" };
  const addresses = { a: x.address(), b: both.address(), out: wide.address(), bias: 0n };
  const { launches, free } = cublasLt.candidates(problem, "product", addresses);
  const { index, tried } = fastest(timer, launches, seconds / 2);
  const product = launches[index] as () => void;
  const ways = [
    { name: "gatedMatmul", launch: () => void gatedMatmul(x, gate, up, { out, stream }) },
    {
      name: "matmul and siluMul",
      launch: () => {
        matmul(x, both, { out: wide, stream });
        siluMul(left, right, { out, stream });
      },
    },
    {
      name: "cublasLt and siluMul",
      launch: () => {
        product();
        siluMul(left, right, { out, stream });
      },
    },
  ];
  const wrong: string[] = [];
  for (const { name, launch } of ways) {
    out.fill(Number.NaN);
    await device.sync();
    launch();
    timer.wait();
    if ((await missesOf(x, w, out)) > 0) wrong.push(name);
  }
  const times = flushed(timer, ways, seconds);
  timer.settle();
  free();
  for (const tensor of [x, w, wide, out]) tensor.dispose();
  const us = Object.fromEntries(Object.entries(times).map(([name, { median }]) => [name, median]));
  const spread = Object.fromEntries(Object.entries(times).map(([name, f]) => [name, [f.p10, f.p90, f.samples]]));
  const timesAsFast = round((us["cublasLt and siluMul"] ?? Number.NaN) / (us.gatedMatmul ?? Number.NaN), 4);
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
  writeFileSync(join(folder, "products-gated.json"), `${JSON.stringify({ ...session.header, cases: records }, null, 1)}\n`);
}
if (records.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
