import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, f32, helper, openDevice, type Tensor } from "warpsmith";
import { type AttentionMask, type AttentionPlan, attention, attentionMask } from "warpsmith/kernels";
import { distance, operandsOf, type Shape } from "./attended.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const plan: AttentionPlan = {
  consumers: 2,
  keys: 64,
  stages: 2,
  turns: true,
  overlap: true,
  slack: 8,
  persistent: false,
  group: 1,
};
const small: Shape = { batches: 1, heads: 1, kvHeads: 1, queries: 300, keys: 300, d: 64, dv: 64 };
type Sees = (query: number, key: number, head: number, batch: number) => boolean;

/** Queries of which the reference is computed: the edges of blocks and of documents, and some between. */
const picked = (queries: number): readonly number[] =>
  [0, 1, 63, 64, 99, 100, 101, 127, 128, 199, 200, 255, 256, 290, 299].filter((query) => query < queries);

async function check(of: Shape, mask: AttentionMask, sees: Sees, chosen: AttentionPlan | "chosen" = plan, biased = false) {
  const operands = operandsOf(device, "f16", of);
  const logSumExp = device.empty("f32", [of.batches, of.heads, of.queries]);
  const options = { mask, logSumExp, ...(chosen === "chosen" ? {} : { plan: chosen }), ...(biased ? { score: bias } : {}) };
  const out = attention(operands.q, operands.k, operands.v, options);
  const score = (s: number, q: number, k: number, h: number, b: number) =>
    sees(q, k, h, b) ? (biased ? s + 0.02 * (k - q) : s) : Number.NEGATIVE_INFINITY;
  const { output, log } = await distance(out, logSumExp, operands, of, { score }, picked(of.queries));
  expect(output).toBeLessThan(2e-3);
  expect(log).toBeLessThan(1e-4);
}

const bias = helper((score: number, query: number, key: number) => score + 0.02 * f32(key - query));
const prefixed = helper((query: number, key: number) => key <= query || key < 50);
const prefix: Sees = (query, key) => key <= query || key < 50;
/** Heads see less and less, and the last of four nothing. */
const byHead = helper((query: number, key: number, head: number, batch: number) => key <= query - 90 * head && batch + head < 3);
const byHeadToo: Sees = (query, key, head, batch) => key <= query - 90 * head && batch + head < 3;
const inDocument = helper(
  (query: number, key: number, _head: number, batch: number, data: { readonly documents: Tensor<"i32", 2> }) => {
    const same = data.documents.at(batch, query).load() === data.documents.at(batch, key).load();
    return key <= query && same;
  },
);
const hiddenBehind = helper((query: number, key: number) => key >= 128 && key < 256 && query >= 0);

/** What the lists should say, from the function asked on the host: in each row the whole blocks upwards, then the others downwards. */
function listed({ queries, keys, heads, batches, block: { queries: down, keys: across } }: AttentionMask, sees: Sees) {
  const rows: (readonly [full: readonly number[], partly: readonly number[]])[] = [];
  for (let batch = 0; batch < batches; batch++)
    for (let head = 0; head < heads; head++)
      for (let row = 0; row < queries; row += down) {
        const full: number[] = [];
        const partly: number[] = [];
        for (let block = 0; block * across < keys; block++) {
          let seen = 0;
          for (let query = row; query < Math.min(row + down, queries); query++)
            for (let key = block * across; key < Math.min(block * across + across, keys); key++)
              if (sees(query, key, head, batch)) seen++;
          if (seen === Math.min(down, queries - row) * across) full.push(block);
          else if (seen > 0) partly.push(block);
        }
        if (full.length + partly.length === 0) partly.push(0);
        rows.push([full, partly.toReversed()]);
      }
  return rows;
}

async function listsOf({ counts, blocks }: AttentionMask) {
  const [count, numbers] = [Array.from(await counts.read()), Array.from(await blocks.read())];
  const each = blocks.shape[3];
  return Array.from({ length: count.length / 2 }, (_, i) => {
    const [full = 0, partly = 0] = count.slice(2 * i, 2 * i + 2);
    const row = numbers.slice(i * each, (i + 1) * each);
    return [row.slice(0, full), row.slice(each - partly)] as const;
  });
}

describe("lists", () => {
  it("have the blocks that queries see all of, and those that they see some of", async () => {
    using one = attentionMask(device, prefixed, { queries: 300, keys: 520 });
    expect(await listsOf(one)).toEqual(listed(one, prefix));
    using many = attentionMask(device, byHead, { queries: 200, keys: 300, heads: 4, batches: 2 });
    expect(await listsOf(many)).toEqual(listed(many, byHeadToo));
    // 17 blocks of keys: a round of the 16 warps of a block of threads, and one more.
    using long = attentionMask(device, prefixed, { queries: 130, keys: 2100 });
    expect(await listsOf(long)).toEqual(listed(long, prefix));
  });
});

describe("attention with a mask", () => {
  it.each([
    [300, 300],
    [128, 256],
    [70, 200],
    [1, 1],
  ])("of a prefix: %d queries, %d keys", async (queries, keys) => {
    using mask = attentionMask(device, prefixed, { queries, keys });
    await check({ ...small, queries, keys }, mask, prefix);
  });

  it("by heads and batches, where some queries see nothing", async () => {
    using mask = attentionMask(device, byHead, { queries: 200, keys: 300, heads: 4, batches: 2 });
    await check({ ...small, batches: 2, heads: 4, kvHeads: 2, queries: 200, keys: 300 }, mask, byHeadToo);
  });

  it("of all heads and batches is told of the first ones", async () => {
    using mask = attentionMask(device, byHead, { queries: 200, keys: 200 });
    await check({ ...small, batches: 2, heads: 2, queries: 200, keys: 200 }, mask, (query, key) => byHeadToo(query, key, 0, 0));
  });

  it("of documents, with a function of scores, which may change", async () => {
    const of = { ...small, batches: 2 };
    const ids = (length: number) =>
      Array.from({ length: 600 }, (_, i) => Math.floor((i % 300) / (i < 300 ? length : 2 * length)));
    const documents = device.tensor("i32", [2, 300], ids(100)) as DeviceTensor<"i32", 2>;
    using mask = attentionMask(device, inDocument, { queries: 300, keys: 300, batches: 2, data: { documents } });
    for (const length of [100, 37]) {
      documents.write(Int32Array.from(ids(length)));
      mask.update();
      const all = ids(length);
      const sees: Sees = (q, k, _, b) => k <= q && all[b * 300 + q] === all[b * 300 + k];
      await check(of, mask, sees);
      if (length === 100) await check(of, mask, sees, plan, true);
    }
  });

  it("neither loads nor computes blocks that nobody sees", async () => {
    using mask = attentionMask(device, hiddenBehind, { queries: 128, keys: 300 });
    const { q, k, v } = operandsOf(device, "f16", { ...small, queries: 128 });
    for (const x of [k, v])
      for (const rows of [[0, 128] as const, [256, 300] as const]) x.slice(undefined, undefined, [...rows]).fill(Number.NaN);
    const out = attention(q, k, v, { mask, plan });
    expect(Array.from((await out.read()) as ArrayLike<number>).every(Number.isFinite)).toBe(true);
  });

  it.each([
    [64, 64],
    [64, 256],
    [256, 128],
  ] as const)("of blocks of %d queries and %d keys", async (queries, keys) => {
    using mask = attentionMask(device, prefixed, { queries: 300, keys: 300, block: { queries, keys } });
    expect(await listsOf(mask)).toEqual(listed(mask, prefix));
    await check(small, mask, prefix, "chosen");
  });

  const plans: Readonly<Record<string, AttentionPlan | "chosen">> = {
    "one consumer, blocks of 32": { ...plan, consumers: 1, turns: false, keys: 32 },
    "no turns, no slack, blocks of 128": { ...plan, turns: false, slack: 0, keys: 128 },
    "no overlap": { ...plan, overlap: false },
    "that stays for tile after tile": { ...plan, persistent: true },
    "that is chosen": "chosen",
  };
  it.each(Object.keys(plans))("by a plan: %s", async (name) => {
    using mask = attentionMask(device, prefixed, { queries: 300, keys: 300 });
    await check({ ...small, heads: 2 }, mask, prefix, plans[name]);
  });
});
