import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, helper, openDevice, type Tensor } from "warpsmith";
import {
  type AttentionMaskOptions,
  type AttentionPlan,
  attentionMask,
  attentionVarlen,
  attentionVarlenKernel,
} from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import type { Half } from "./attended.ts";
import { type Packed, type PackedShape, packedDistance, packedOf } from "./packed.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const base = { heads: 2, kvHeads: 1, d: 64, dv: 64 };
const small: PackedShape = { ...base, queries: [1, 0, 130, 17, 64] };
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

type Sees = (query: number, key: number, head: number, sequence: number) => boolean;

/** Whole blocks, blocks that are masked, and none. */
const prefixed = helper((query: number, key: number) => key <= query || key < 40);
const prefix: Sees = (query, key) => key <= query || key < 40;
/** Every block is masked, the last keys of a sequence behind others. Query 5 of head 1 sees nothing, nor does sequence 2 any key below 7. */
const scattered = helper((query: number, key: number, head: number, sequence: number) => {
  const some = (query + key + sequence) % 3 !== 0;
  const blind = head === 1 && query === 5;
  const early = sequence === 2 && key < 7;
  return some && !blind && !early;
});
const scatter: Sees = (query, key, head, sequence) =>
  (query + key + sequence) % 3 !== 0 && !(head === 1 && query === 5) && !(sequence === 2 && key < 7);

type Mask = Parameters<typeof attentionMask>[1];
type More = Partial<Pick<AttentionMaskOptions, "heads" | "data" | "block">>;

const maskOf = ({ q, k, cuSeqlens, cuSeqlensKeys }: Packed, visible: Mask, more: More = {}) =>
  attentionMask(device, visible, {
    ...{ queries: q.shape[0], keys: k.shape[0], cuSeqlens },
    ...(cuSeqlensKeys ? { cuSeqlensKeys } : {}),
    ...more,
  });

interface Checked {
  readonly dtype?: Half;
  readonly plan?: AttentionPlan | "chosen";
  readonly more?: More;
}

async function check(of: PackedShape, visible: Mask, sees: Sees, { dtype = "f16", plan: by = plan, more = {} }: Checked = {}) {
  const given = packedOf(device, dtype, of);
  const { q, k, v, cuSeqlens, cuSeqlensKeys, total } = given;
  using mask = maskOf(given, visible, more);
  const { heads, dv } = of;
  const out = device.tensor(dtype, [total, heads, dv], Array<number>(total * heads * dv).fill(7) as never) as typeof q;
  const logSumExp = device.tensor("f32", [heads, total], Array<number>(total * heads).fill(7)) as DeviceTensor<"f32", 2>;
  attentionVarlen(q, k, v, {
    ...{ cuSeqlens, out, logSumExp, mask },
    ...(cuSeqlensKeys ? { cuSeqlensKeys } : {}),
    ...(by === "chosen" ? {} : { plan: by }),
  });
  const score = (s: number, query: number, key: number, head: number, sequence: number) =>
    sees(query, key, head, sequence) ? s : Number.NEGATIVE_INFINITY;
  const { output, log, kept } = await packedDistance(given, { ...of, score }, out, logSumExp);
  expect(output).toBeLessThan(dtype === "f16" ? 1e-3 : 8e-3);
  expect(log).toBeLessThan(1e-4);
  expect(kept).toBe(true);
}

/** Lengths from 0 to `most`, some of them 0 or 1. */
const lengthsOf = (count: number, most: number, seed: number): readonly number[] =>
  Array.from(randn(count, seed), (x, i) => (i % 3 === 0 && x < 0 ? (x < -1 ? 0 : 1) : Math.floor(Math.abs(x) * 1000) % most));

describe("lists of packed sequences", () => {
  it("have numbers of blocks within a sequence, and its tail among those that are masked", async () => {
    const of = { ...small, queries: [130, 0, 300, 64, 1], keys: [300, 5, 129, 0, 64] };
    const given = packedOf(device, "f16", of);
    using mask = maskOf(given, prefixed, { block: { queries: 64, keys: 64 } });
    const [counts, blocks] = [Array.from(await mask.counts.read()), Array.from(await mask.blocks.read())];
    const each = mask.blocks.shape[3];
    let begin = 9;
    for (const [s, length] of of.queries.entries()) {
      const keys = of.keys[s] ?? 0;
      for (let row = 0; row < length; row += 64) {
        const rows = Array.from({ length: Math.min(64, length - row) }, (_, i) => row + i);
        const kinds = Array.from({ length: Math.ceil(keys / 64) }, (_, j) => {
          const seen = Array.from({ length: 64 }, (_, i) =>
            rows.map((q) => 64 * j + i < keys && prefix(q, 64 * j + i, 0, s)),
          ).flat();
          return seen.every(Boolean) ? "full" : seen.some(Boolean) ? "partly" : "hidden";
        });
        const numbers = (kind: string) => kinds.flatMap((k, j) => (k === kind ? [j] : []));
        const partly = kinds.every((kind) => kind === "hidden") ? [0] : numbers("partly");
        const at = Math.floor(begin / 64) + s + row / 64;
        const [full = 0, masked = 0] = counts.slice(2 * at, 2 * at + 2);
        const line = blocks.slice(at * each, (at + 1) * each);
        expect([line.slice(0, full), line.slice(each - masked)]).toEqual([numbers("full"), partly.toReversed()]);
      }
      begin += length;
    }
  });
});

describe("attentionVarlen with a mask", () => {
  it.each([[[1, 0, 130, 17, 64]], [[300, 128]], [[0]], [[0, 0, 5]]])("of sequences of %j", async (queries) => {
    await check({ ...small, queries }, prefixed, prefix);
    await check({ ...small, queries }, scattered, scatter, { more: { heads: 2 } });
  });

  it("of sequences that have other keys than queries, or none", async () => {
    const of = { ...small, queries: [40, 0, 129, 64, 3, 0], keys: [0, 7, 260, 64, 1, 0] };
    for (const [visible, sees] of [
      [prefixed, prefix],
      [scattered, scatter],
    ] as const)
      await check(of, visible, sees, { more: { heads: 2 } });
  });

  it.each([1, 2, 3, 4])("of random lengths: %d", async (seed) => {
    const of = { ...small, queries: lengthsOf(7, 200, seed), keys: lengthsOf(7, 300, seed + 10) };
    await check(of, scattered, scatter, { dtype: "bf16", more: { heads: 2 } });
  });

  it("by what a tensor says of each token, with begins of its own, which change", async () => {
    const given = packedOf(device, "f16", { ...small, queries: [100, 0, 60] });
    const { q, k, v, cuSeqlens, total } = given;
    const kinds = device.tensor(
      "i32",
      [total],
      Array.from({ length: total }, (_, i) => i % 5),
    ) as DeviceTensor<"i32", 1>;
    type Data = { kinds: Tensor<"i32", 1>; begins: Tensor<"i32", 1> };
    const alike = helper((query: number, key: number, _head: number, sequence: number, data: Data) => {
      const begin = data.begins.at(sequence).load();
      const same = data.kinds.at(begin + query).load() === data.kinds.at(begin + key).load();
      return same || key === 0;
    });
    using mask = maskOf(given, alike as Mask, { data: { kinds, begins: cuSeqlens } });
    const logSumExp = device.empty("f32", [2, total]) as DeviceTensor<"f32", 2>;
    for (const queries of [
      [100, 0, 60],
      [17, 143, 0],
    ]) {
      const begins = [9, 9 + (queries[0] ?? 0), 9 + (queries[0] ?? 0) + (queries[1] ?? 0), 169];
      cuSeqlens.write(Int32Array.from(begins));
      mask.update();
      const score = (s: number, query: number, key: number, _head: number, sequence: number) => {
        const begin = begins[sequence] ?? 0;
        return (begin + query) % 5 === (begin + key) % 5 || key === 0 ? s : Number.NEGATIVE_INFINITY;
      };
      const out = attentionVarlen(q, k, v, { cuSeqlens, mask, logSumExp, plan });
      const { output, log } = await packedDistance(given, { ...small, queries, score }, out, logSumExp);
      expect(output).toBeLessThan(1e-3);
      expect(log).toBeLessThan(1e-4);
    }
    cuSeqlens.write(Int32Array.from([9, 30, 100, 169]));
    attentionVarlen(q, k, v, { cuSeqlens, mask, plan });
    await expect(device.sync()).rejects.toThrow(
      /element [12] of the begins of sequences has changed since the mask listed its blocks/,
    );
  });

  it.each([
    [64, 64],
    [64, 256],
    [256, 128],
  ] as const)("of blocks of %d queries and %d keys", async (queries, keys) => {
    const of = { ...small, queries: [300, 1, 0, 260] };
    await check(of, prefixed, prefix, { plan: "chosen", more: { block: { queries, keys } } });
    await check(of, scattered, scatter, { plan: "chosen", more: { heads: 2, block: { queries, keys } } });
  });

  const plans: Readonly<Record<string, AttentionPlan | "chosen">> = {
    "one consumer, blocks of 32": { ...plan, consumers: 1, turns: false, keys: 32 },
    "no turns, no slack, blocks of 128": { ...plan, turns: false, slack: 0, keys: 128 },
    "no overlap": { ...plan, overlap: false },
    "that stays for tile after tile": { ...plan, persistent: true },
    "that is chosen": "chosen",
  };
  it.each(Object.keys(plans))("by a plan: %s", async (name) => {
    const by = plans[name];
    const of = { ...small, queries: [200, 0, 77], keys: [90, 3, 211] };
    await check(of, scattered, scatter, { ...(by ? { plan: by } : {}), more: { heads: 2 } });
  });

  it("neither loads nor computes blocks that nobody sees", async () => {
    const given = packedOf(device, "f16", { ...small, queries: [300, 300] });
    const { q, k, v, cuSeqlens } = given;
    const late = helper((query: number, key: number) => key >= 128 && key < 256 && query >= 0);
    using mask = maskOf(given, late);
    for (const x of [k, v])
      for (const s of [9, 309])
        for (const [from, to] of [
          [0, 128],
          [256, 300],
        ] as const)
          x.slice([s + from, s + to]).fill(Number.NaN);
    const out = attentionVarlen(q, k, v, { cuSeqlens, mask, plan });
    const seen = Array.from((await out.slice([9, 609]).read()) as ArrayLike<number>);
    expect(seen.every(Number.isFinite)).toBe(true);
  });

  it("of other sequences is of the same kernels", () => {
    const ask = (queries: readonly number[]) => {
      const given = packedOf(device, "f16", { ...small, queries });
      using mask = maskOf(given, prefixed);
      const { kernel, args } = attentionVarlenKernel(given.q, given.k, given.v, { cuSeqlens: given.cuSeqlens, mask });
      return { kernel, ptx: kernel.compile(...args).ptx };
    };
    const [one, other] = [ask([64]), ask([10, 0, 90])];
    expect(other.kernel).toBe(one.kernel);
    expect(other.ptx).toBe(one.ptx);
  });
});
