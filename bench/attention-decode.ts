// `attentionDecode` of warpsmith/kernels beside cuDNN's attention in PyTorch, which has one query for each head.
//
//   npm run bench:attention-decode -- [name of a case]… [--seconds 2] [--out <folder>]
//
// Both sides are checked, then timed in turns, each launch alone with a cold L2 cache. Writes bench/results/<gpu name>/attention-decode.json, and draws it.
import type { Device, DeviceTensor } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";
import type { DecodeCase, DecodeRecord } from "./attention-decode-case.ts";
import { worstOfDecode } from "./attention-decode-check.ts";
import { drawDecode } from "./attention-decode-draw.ts";
import { attentionEntry } from "./attention-entry.ts";
import { type Run, runBenchmark, timeSides } from "./attention-room.ts";
import type { Arena } from "./contenders.ts";
import { fillNormal } from "./inputs.ts";
import { methods } from "./methods.ts";
import type { Half } from "./problem.ts";
import { table } from "./report.ts";
import { round } from "./stats.ts";

/** What a result may be off: an output is some hundredths, of thousands of numbers of N(0, 1). */
const ALLOWED: Readonly<Record<Half, number>> = { f16: 5e-4, bf16: 4e-3 };

/** 32 heads on 4 of 128 elements: batches, and their keys. */
const sizes = [
  [1, 32768],
  [8, 8192],
  [32, 8192],
  [128, 4096],
] as const;
const base = { dtype: "bf16", heads: 32, kvHeads: 4, d: 128, pageSize: 0, queries: 1, window: 0, ragged: false } as const;
const at = (name: string, [batches, length]: (typeof sizes)[number], of: Partial<DecodeCase>): DecodeCase => ({
  ...base,
  ...of,
  name: `${batches} × ${length / 1024}k${name}`,
  batches,
  length,
});

const cases: readonly DecodeCase[] = [
  ...sizes.map((size) => at("", size, {})),
  ...sizes.map((size) => at(" f16", size, { dtype: "f16" })),
  ...sizes.map((size) => at(" pages of 64", size, { pageSize: 64 })),
  at(" pages of 16", sizes[2], { pageSize: 16 }),
  at(" ragged", sizes[2], { ragged: true }),
  at(" ragged", sizes[3], { ragged: true }),
  at(" ragged, pages of 16", sizes[3], { ragged: true, pageSize: 16 }),
  at(" 4 queries", sizes[2], { queries: 4 }),
  at(" 8 queries, pages of 64", sizes[2], { queries: 8, pageSize: 64 }),
  at(" window of 1024", sizes[2], { window: 1024 }),
];

/** Keys of each batch. */
const lengthsOf = ({ batches, length, ragged }: DecodeCase): readonly number[] =>
  Array.from({ length: batches }, (_, i) =>
    ragged ? Math.floor(length * (0.25 + (0.75 * ((i * 37) % batches)) / (batches - 1))) : length,
  );

/** Pages of each batch, in an order of their own. */
const tableOf = ({ batches, length, pageSize }: DecodeCase): readonly number[] => {
  const each = pageSize === 0 ? 0 : length / pageSize;
  return Array.from({ length: batches * each }, (_, i) => i - (i % each) + (((i % each) * 5 + 1) % each));
};

interface Made extends Disposable {
  readonly launch: () => void;
  readonly check: () => Promise<number>;
}

/** Tensors of a case, and its launch. */
function make(device: Device, arena: Arena, one: DecodeCase): Made {
  const { dtype, batches, heads, kvHeads, length, d, pageSize, queries, window, ragged } = one;
  const [lengths, table] = [lengthsOf(one), tableOf(one)];
  const cache = (seed: number): DeviceTensor<Half, 1> => {
    const x = device.empty(dtype, [batches * kvHeads * length * d]);
    fillNormal(x.reshape(batches * kvHeads * length, d), seed);
    return x;
  };
  const [k, v] = [cache(2), cache(3)];
  const q: DeviceTensor<Half, 4> = device.empty(dtype, [batches, queries, heads, d]);
  fillNormal(q.reshape(batches * queries * heads, d), 1);
  const out: DeviceTensor<Half, 4> = device.empty(dtype, [batches, queries, heads, d]);
  const data = {
    lengths: device.tensor("i32", [batches], lengths),
    pages: device.tensor("i32", [batches, Math.max(1, table.length / batches)], table.length > 0 ? table : lengths),
  };
  const shaped = (x: DeviceTensor<Half, 1>) =>
    pageSize === 0 ? x.reshape(batches, kvHeads, length, d) : x.reshape((batches * length) / pageSize, kvHeads, pageSize, d);
  const [keys, values] = [shaped(k), shaped(v)];
  const options = {
    out,
    stream: arena.stream,
    ...(window > 0 ? { window } : {}),
    ...(ragged || pageSize > 0 ? { lengths: data.lengths } : {}),
    ...(pageSize > 0 ? { pages: data.pages } : {}),
  };
  return {
    launch: () => void attentionDecode(q, keys, values, options),
    async check() {
      out.fill(Number.NaN);
      await device.sync();
      attentionDecode(q, keys, values, options);
      arena.timer.wait();
      return await worstOfDecode(device, one, { q, k, v, out, lengths, table });
    },
    [Symbol.dispose]() {
      arena.timer.settle();
      for (const x of [q, k, v, out, data.lengths, data.pages]) x.dispose();
    },
  };
}

/** Bytes of the keys and values that a query sees. */
function bytesOf(one: DecodeCase): number {
  const { kvHeads, d, queries, window } = one;
  const seen = (length: number): number => (window > 0 ? Math.min(length, window + queries - 1) : length);
  return 4 * kvHeads * d * lengthsOf(one).reduce((sum, length) => sum + seen(length), 0);
}

async function measure(run: Run, one: DecodeCase): Promise<DecodeRecord> {
  using made = make(run.device, run.arena, one);
  const worst = await made.check();
  const asked = { ...one, causal: false, score: false };
  const isTaken = one.pageSize === 0 && !one.ragged && one.queries === 1 && one.window === 0;
  const why = "PyTorch gives it keys in one piece, as many for each batch, all of which a query sees";
  const sides = await timeSides(run, made.launch, isTaken ? asked : why);
  const tbps = round(bytesOf(one) / sides.us / 1e6);
  return { ...one, ...sides, tbps, worst: round(worst, 3), correct: worst <= ALLOWED[one.dtype] };
}

function print(records: readonly DecodeRecord[]): void {
  const rows = records.map(({ name, us, tbps, peers, ratio, correct }) => {
    const theirs = Object.entries(peers).map(([peer, time]) => `${peer} ${time.toFixed(1)}`);
    return [name, us.toFixed(1), tbps.toFixed(2), theirs.join(", ") || "nobody", String(ratio ?? ""), correct ? "" : "WRONG"];
  });
  console.log(table(["attentionDecode", "µs", "TB/s", "theirs, µs", "×", ""], rows));
}

if (process.argv[1] === import.meta.filename)
  await runBenchmark({
    ...{ file: "attention-decode", method: methods.attentionDecode, cases, seconds: 2, measure, print },
    entry: (record) => attentionEntry("attentionDecode", record),
    ...{ counts: () => true, draw: drawDecode },
  });
