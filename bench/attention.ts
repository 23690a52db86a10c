// `attention` of warpsmith/kernels beside cuDNN's in PyTorch, and beside FlexAttention where scores have a bias.
//
//   npm run bench:attention -- [name of a case]… [--seconds 3] [--out <folder>]
//
// Both sides are checked, then timed in turns, each launch alone with a cold L2 cache. Writes bench/results/<gpu name>/attention.json, and draws it.
import { type DeviceTensor, f32, helper, type Tensor } from "warpsmith";
import { type AttentionVarlenOptions, attention, attentionVarlen } from "warpsmith/kernels";
import type { AttentionCase, AttentionRecord } from "./attention-case.ts";
import { worstOf } from "./attention-check.ts";
import { drawAttention } from "./attention-draw.ts";
import { attentionEntry } from "./attention-entry.ts";
import { beginsOf, documentsOf, maskOf, pairsOf } from "./attention-masks.ts";
import { type Run, runBenchmark, timeSides } from "./attention-room.ts";
import { fillNormal } from "./inputs.ts";
import { methods } from "./methods.ts";
import type { Half } from "./problem.ts";
import { table } from "./report.ts";
import { round } from "./stats.ts";

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

/** For functions of the author's. */
const own = { dtype: "f16", batches: 1, heads: 16, kvHeads: 16, length: 8192, d: 128, causal: false, score: false } as const;

/** 16k queries in all, 2048 elements for the heads together, as FlashAttention's papers measure. */
const cases: readonly AttentionCase[] = [
  ...both("d64 16k", { batches: 1, heads: 32, length: 16384, d: 64 }),
  ...both("d128 16k", { batches: 1, heads: 16, length: 16384, d: 128 }),
  ...both("d256 8k", { batches: 2, heads: 8, length: 8192, d: 256 }),
  ...both("d128 4k x4", { batches: 4, heads: 16, length: 4096, d: 128 }),
  ...both("d128 8k, 32 heads on 8", { batches: 1, heads: 32, kvHeads: 8, length: 8192, d: 128, dtype: "bf16" }),
  { ...own, name: "d128 8k, bias", score: true },
  { ...own, name: "d128 8k causal, bias", causal: true, score: true },
  { ...own, name: "d128 8k causal, bias of slopes", causal: true, score: true, slopes: true },
  { ...own, name: "d128 8k, documents", mask: "documents" },
  { ...own, name: "d128 8k, prefix", mask: "prefix" },
  { ...own, name: "d128 8k, documents as sequences", mask: "documents", packed: true },
];

const bias = helper(
  (score: number, query: number, key: number, head: number) => score - (f32(head + 1) / 65536) * f32(query - key),
);

const sloping = helper(
  (score: number, query: number, key: number, head: number, _batch: number, data: { readonly slopes: Tensor<"f32", 1> }) => {
    const slope = data.slopes.at(head).load();
    return score - slope * f32(query - key);
  },
);

const operations = (one: AttentionCase): number => 4 * one.batches * one.heads * pairsOf(one) * one.d;

type Heads = DeviceTensor<Half, 4>;

/** The documents of a case by `attentionVarlen`, whose rows are views of the same memory. */
function packedLaunch(tensors: readonly [Heads, Heads, Heads, Heads], options: AttentionVarlenOptions<Half>): () => void {
  const rowsOf = (x: Heads) => x.reshape(x.shape[1], x.shape[2], x.shape[3]).transpose(1, 0, 2);
  const [q, k, v, out] = tensors.map(rowsOf) as unknown as [Rows, Rows, Rows, Rows];
  return () => void attentionVarlen(q, k, v, { ...options, out });
}

type Rows = DeviceTensor<Half, 3>;

async function measure(run: Run, one: AttentionCase): Promise<AttentionRecord> {
  const { device, arena } = run;
  const { dtype, batches, heads, kvHeads, length, d, causal, score, mask, packed } = one;
  const make = (count: number, seed: number) => {
    const x = device.empty(dtype, [batches, count, length, d]);
    if (seed > 0) fillNormal(x.reshape(batches * count * length, d), seed);
    return x;
  };
  const [q, k, v, out] = [make(heads, 1), make(kvHeads, 2), make(kvHeads, 3), make(heads, 0)] as const;
  using masked = packed ? undefined : maskOf(device, one);
  using slopes =
    one.slopes &&
    device.tensor(
      "f32",
      [heads],
      Array.from({ length: heads }, (_, head) => (head + 1) / 65536),
    );
  const begins = packed && beginsOf(length);
  using cuSeqlens = begins && (device.tensor("i32", [begins.length], begins) as DeviceTensor<"i32", 1>);
  await device.sync(); // the mask's blocks are listed on the device's own stream
  try {
    const options = {
      ...{ out, causal, stream: arena.stream },
      ...(slopes ? { score: sloping, data: { slopes } } : score ? { score: bias } : {}),
      ...(masked ? { mask: masked.mask } : {}),
    };
    const sequences = cuSeqlens && packedLaunch([q, k, v, out], { cuSeqlens, causal: true, stream: arena.stream });
    const launch = sequences ?? (() => void attention(q, k, v, options));
    out.fill(Number.NaN);
    await device.sync();
    launch();
    arena.timer.wait();
    const worst = await worstOf(device, one, [q, k, v, out]);
    const asked = mask === "documents" ? { ...one, documents: documentsOf(length), ...(begins ? { begins } : {}) } : one;
    const sides = await timeSides(run, launch, asked);
    const tflops = round(operations(one) / sides.us / 1e6);
    return { ...one, ...sides, tflops, worst: round(worst, 3), correct: worst <= ALLOWED[dtype] };
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

if (process.argv[1] === import.meta.filename)
  await runBenchmark({
    file: "attention",
    method: methods.attention,
    cases,
    seconds: 3,
    measure,
    entry: (record) => attentionEntry(record.packed ? "attentionVarlen" : "attention", record),
    print,
    // The mean is of those beside cuDNN.
    counts: ({ score, mask }) => !score && mask === undefined,
    draw: drawAttention,
  });
