// `attention` of warpsmith/kernels beside cuDNN's in PyTorch, and beside FlexAttention where scores have a bias.
//
//   npm run bench:attention -- [name of a case]… [--seconds 3] [--out <folder>]
//
// Both sides are checked, then timed in turns, each launch alone with a cold L2 cache. Writes bench/results/<gpu name>/attention.json, and draws it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Device, f32, helper, openDevice } from "warpsmith";
import { attention } from "warpsmith/kernels";
import { openSession } from "./arena.ts";
import type { AttentionCase, AttentionRecord } from "./attention-case.ts";
import { worstOf } from "./attention-check.ts";
import { drawAttention } from "./attention-draw.ts";
import type { Arena } from "./contenders.ts";
import { fillNormal } from "./inputs.ts";
import { flushed } from "./measure.ts";
import { type AttentionPeer, openAttentionPeer } from "./peers/attention.ts";
import type { Half } from "./problem.ts";
import { table } from "./report.ts";
import { resultsFolder } from "./results.ts";
import { geometricMean, median, round } from "./stats.ts";
import { writeDrawing } from "./write-drawing.ts";

/** How often both sides are timed, in turns. */
const TURNS = 3;
/** What a result may be off: an output is about 1 at most, of numbers of N(0, 1). */
const ALLOWED: Readonly<Record<Half, number>> = { f16: 2e-3, bf16: 1.6e-2 };

const both = (
  name: string,
  of: Omit<AttentionCase, "name" | "dtype" | "causal" | "score" | "kvHeads"> & Partial<AttentionCase>,
) =>
  [false, true].map((causal): AttentionCase => {
    const { dtype = "f16", kvHeads = of.heads } = of;
    return { ...of, name: `${name}${causal ? " causal" : ""}`, dtype, kvHeads, causal, score: false };
  });

/** 16k queries in all, 2048 elements for the heads together, as FlashAttention's papers measure. */
const cases: readonly AttentionCase[] = [
  ...both("d64 16k", { batches: 1, heads: 32, length: 16384, d: 64 }),
  ...both("d128 16k", { batches: 1, heads: 16, length: 16384, d: 128 }),
  ...both("d256 8k", { batches: 2, heads: 8, length: 8192, d: 256 }),
  ...both("d128 4k x4", { batches: 4, heads: 16, length: 4096, d: 128 }),
  ...both("d128 8k, 32 heads on 8", { batches: 1, heads: 32, kvHeads: 8, length: 8192, d: 128, dtype: "bf16" }),
  { name: "d128 8k, bias", dtype: "f16", batches: 1, heads: 16, kvHeads: 16, length: 8192, d: 128, causal: false, score: true },
];

const bias = helper(
  (score: number, query: number, key: number, head: number) => score - f32(head + 1) * f32(query - key) * (1 / 65536),
);

const operations = ({ batches, heads, length, d, causal }: AttentionCase): number =>
  (4 * batches * heads * length * length * d) / (causal ? 2 : 1);

async function measure(
  device: Device,
  arena: Arena,
  peer: AttentionPeer,
  one: AttentionCase,
  seconds: number,
): Promise<AttentionRecord> {
  const { dtype, batches, heads, kvHeads, length, d, causal, score } = one;
  const make = (count: number, seed: number) => {
    const x = device.empty(dtype, [batches, count, length, d]);
    if (seed > 0) fillNormal(x.reshape(batches * count * length, d), seed);
    return x;
  };
  const [q, k, v, out] = [make(heads, 1), make(kvHeads, 2), make(kvHeads, 3), make(heads, 0)] as const;
  try {
    const options = { out, causal, stream: arena.stream, ...(score ? { score: bias } : {}) };
    const launch = () => void attention(q, k, v, options);
    out.fill(Number.NaN);
    await device.sync();
    launch();
    arena.timer.wait();
    const worst = await worstOf(device, one, [q, k, v, out]);
    const mine: number[] = [];
    const theirs: Record<string, number[]> = {};
    let skipped: Readonly<Record<string, string>> = {};
    for (let turn = 0; turn < TURNS; turn++) {
      mine.push(flushed(arena.timer, [{ name: "attention", launch }], seconds / TURNS / 2).attention?.median ?? Number.NaN);
      const answer = await peer.measure(one, seconds / TURNS / 2);
      skipped = answer.skipped;
      for (const [name, us] of Object.entries(answer.us)) theirs[name] = [...(theirs[name] ?? []), us];
    }
    const us = round(median(mine), 5);
    const peers = Object.fromEntries(Object.entries(theirs).map(([name, all]) => [name, round(median(all), 5)]));
    const fastest = Math.min(...Object.values(peers));
    const ratio = Number.isFinite(fastest) ? round(fastest / us) : null;
    const tflops = round(operations(one) / us / 1e6);
    return { ...one, us, peers, skipped, tflops, ratio, worst: round(worst, 3), correct: worst <= ALLOWED[dtype] };
  } finally {
    arena.timer.settle();
    for (const x of [q, k, v, out]) x.dispose();
  }
}

function print(records: readonly AttentionRecord[]): void {
  const rows = records.map((record) => {
    const { name, us, peers, tflops, ratio, correct } = record;
    const theirs = Object.entries(peers).map(([peer, time]) => `${peer} ${(operations(record) / time / 1e6).toFixed(0)}`);
    return [name, us.toFixed(1), tflops.toFixed(0), theirs.join(", ") || "nobody", String(ratio ?? ""), correct ? "" : "WRONG"];
  });
  console.log(table(["attention", "µs", "TFLOP/s", "theirs", "×", ""], rows));
  for (const { name, skipped } of records)
    for (const [peer, why] of Object.entries(skipped)) console.log(`  ${name}: ${peer} does not take part: ${why}`);
}

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: "string", default: "3" }, out: { type: "string" } },
  });
  await using device = await openDevice("cuda");
  using session = openSession(device);
  const peer = await openAttentionPeer();
  const records: AttentionRecord[] = [];
  const folder = options.out ?? resultsFolder(device);
  mkdirSync(folder, { recursive: true });
  const { torch, cudnn } = peer;
  try {
    for (const one of cases.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
      const record = await measure(device, session.arena, peer, one, Number(options.seconds));
      records.push(record);
      print([record]);
      const means = geometricMean(records.flatMap(({ ratio, score }) => (ratio === null || score ? [] : [ratio])));
      const all = { ...session.header, torch, cudnn, mean: round(means), cases: records };
      writeFileSync(join(folder, "attention.json"), `${JSON.stringify(all, null, 1)}\n`);
    }
  } finally {
    peer.close();
  }
  print(records);
  console.log(await writeDrawing(drawAttention(records, session.header), folder, "attention"));
}

if (process.argv[1] === import.meta.filename) await main();
