import { afterAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, f32, helper, openDevice, type Tensor } from "warpsmith";
import { attention, attentionMask, attentionVarlen } from "warpsmith/kernels";
import { type Choices, distance, type Half, type Order, operandsOf, type Shape } from "../unit/kernels/attended.ts";
import { type PackedShape, packedDistance, packedOf } from "../unit/kernels/packed.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`attention does not run on a GPU: ${gpu}`);
const opened = (): Device => {
  if (typeof gpu === "string") throw new Error(gpu);
  return gpu;
};

const bias = helper((score: number, query: number, key: number, head: number) => score - 0.01 * f32(head + 1) * f32(query - key));
const relative = helper(
  (score: number, query: number, key: number, head: number, _batch: number, data: { table: Tensor<"f32", 2> }) =>
    score + data.table.at(head, key - query + 999).load(),
);
const inDocument = helper((query: number, key: number, _head: number, _batch: number, data: { documents: Tensor<"i32", 1> }) => {
  const same = data.documents.at(query).load() === data.documents.at(key).load();
  return key <= query && same;
});
const prefixed = helper((query: number, key: number) => key <= query || key < 40);
const prefix = (query: number, key: number) => key <= query || key < 40;
/** Masked in every block. */
const scattered = helper(
  (query: number, key: number, head: number, sequence: number) => (query + key + head + sequence) % 3 !== 0,
);
const scatter = (query: number, key: number, head: number, sequence: number) => (query + key + head + sequence) % 3 !== 0;
const inJavaScript = (score: number, query: number, key: number, head: number) => score - 0.01 * (head + 1) * (query - key);

const base: Shape = { batches: 2, heads: 4, kvHeads: 2, queries: 1000, keys: 1000, d: 128, dv: 128 };
const cases: readonly (readonly [dtype: Half, order: Order, of: Shape, choices: Choices])[] = [
  ["f16", "heads", base, {}],
  ["bf16", "sequence", base, { causal: true }],
  ["f16", "heads", { ...base, d: 64, dv: 64, queries: 2048, keys: 2048 }, { causal: true }],
  ["f16", "heads", { ...base, d: 64, dv: 64 }, {}],
  ["bf16", "heads", { ...base, d: 256, dv: 256 }, { causal: true }],
  ["f16", "sequence", { ...base, d: 256, dv: 256 }, {}],
  ["f16", "heads", { ...base, d: 96, dv: 96 }, { causal: true, window: 300 }],
  ["f16", "heads", { ...base, d: 192, dv: 128 }, { window: 77 }],
  ["f16", "heads", { ...base, batches: 1, queries: 130, keys: 9000 }, {}],
  ["f16", "heads", { ...base, queries: 700, keys: 300 }, { causal: true }],
];

describe.skipIf(typeof gpu === "string")("attention on the GPU, against rows in f64", () => {
  afterAll(() => opened().dispose());
  it.each(cases)("%s by %s %o %o", async (dtype, order, of, choices) => {
    const operands = operandsOf(opened(), dtype, of, order);
    const logSumExp = opened().empty("f32", [of.batches, of.heads, of.queries]);
    const out = attention(operands.q, operands.k, operands.v, { ...choices, logSumExp });
    const some = [0, 1, 63, 64, Math.floor(of.queries / 2), of.queries - 1];
    const { output, log } = await distance(out, logSumExp, operands, of, choices, some);
    expect(output).toBeLessThan(dtype === "f16" ? 2e-3 : 1.2e-2);
    expect(log).toBeLessThan(1e-3);
  });

  it("with a mask of documents, and without memory between them", async () => {
    const of = { ...base, kvHeads: 4 };
    const { q, k, v } = operandsOf(opened(), "f16", of);
    const ids = Array.from({ length: 1000 }, (_, i) => Math.floor(i / 170));
    using documents = opened().tensor("i32", [1000], ids);
    using mask = attentionMask(opened(), inDocument, { queries: 1000, keys: 1000, data: { documents } });
    const logSumExp = opened().empty("f32", [of.batches, of.heads, of.queries]);
    const out = attention(q, k, v, { mask, logSumExp });
    const score = (s: number, query: number, key: number) => (key <= query && ids[query] === ids[key] ? s : -Infinity);
    const { output, log } = await distance(out, logSumExp, { q, k, v }, of, { score }, [0, 1, 169, 170, 511, 512, 999]);
    expect(output).toBeLessThan(2e-3);
    expect(log).toBeLessThan(1e-3);
  });

  it.each([
    ["f16", {}],
    ["bf16", { causal: true }],
    ["f16", { causal: true, window: 300 }],
    ["bf16", { d: 192, dv: 128, causal: true }],
  ] as const)("of packed sequences: %s %o", async (dtype, choices) => {
    const shape: PackedShape = { heads: 4, kvHeads: 2, d: 128, dv: 128, queries: [0, 1, 700, 128, 333, 64], ...choices };
    const given = packedOf(opened(), dtype, shape);
    const { q, k, v, cuSeqlens, total } = given;
    const out = opened().tensor(dtype, [total, 4, 128], Array<number>(total * 4 * 128).fill(7) as never) as typeof q;
    const logSumExp = opened().tensor("f32", [4, total], Array<number>(total * 4).fill(7)) as DeviceTensor<"f32", 2>;
    const { causal, window } = shape;
    const options = { cuSeqlens, out, logSumExp, ...(causal ? { causal } : {}), ...(window ? { window } : {}) };
    attentionVarlen(q, k, v, options);
    const { output, log, kept } = await packedDistance(given, shape, out, logSumExp);
    expect(output).toBeLessThan(dtype === "f16" ? 2e-3 : 1.2e-2);
    expect(log).toBeLessThan(1e-3);
    expect(kept).toBe(true);
  });

  it.each([
    ["f16", {}],
    ["bf16", { keys: [90, 0, 1000, 128, 5, 700] }],
    ["f16", { d: 64, dv: 64 }],
    ["bf16", { d: 256, dv: 256, keys: [3, 7, 400, 129, 333, 0] }],
  ] as const)("of packed sequences with a mask: %s %o", async (dtype, choices) => {
    const shape: PackedShape = { heads: 4, kvHeads: 2, d: 128, dv: 128, queries: [0, 1, 700, 128, 333, 64], ...choices };
    const given = packedOf(opened(), dtype, shape);
    const { q, k, v, cuSeqlens, cuSeqlensKeys, total } = given;
    const sequences = { cuSeqlens, ...(cuSeqlensKeys ? { cuSeqlensKeys } : {}) };
    for (const [visible, sees] of [
      [prefixed, prefix],
      [scattered, scatter],
    ] as const) {
      using mask = attentionMask(opened(), visible, { queries: q.shape[0], keys: k.shape[0], heads: 4, ...sequences });
      const out = opened().tensor(dtype, [total, 4, shape.dv], Array<number>(total * 4 * shape.dv).fill(7) as never) as typeof q;
      const logSumExp = opened().tensor("f32", [4, total], Array<number>(total * 4).fill(7)) as DeviceTensor<"f32", 2>;
      attentionVarlen(q, k, v, { ...sequences, mask, out, logSumExp });
      const score = (s: number, query: number, key: number, head: number, sequence: number) =>
        sees(query, key, head, sequence) ? s : Number.NEGATIVE_INFINITY;
      const { output, log, kept } = await packedDistance(given, { ...shape, score }, out, logSumExp);
      expect(output).toBeLessThan(dtype === "f16" ? 2e-3 : 1.2e-2);
      expect(log).toBeLessThan(1e-3);
      expect(kept).toBe(true);
    }
  });

  it("with a function of scores that looks at a table of biases", async () => {
    const { q, k, v } = operandsOf(opened(), "f16", base);
    const of = (head: number, at: number): number => Math.sin(head * 7 + at);
    using table = opened().tensor(
      "f32",
      [4, 1999],
      Array.from({ length: 4 * 1999 }, (_, i) => of(Math.floor(i / 1999), i % 1999)),
    );
    const out = attention(q, k, v, { score: relative, data: { table } });
    const score = (s: number, query: number, key: number, head: number) => s + of(head, key - query + 999);
    const { output } = await distance(out, undefined, { q, k, v }, base, { score }, [0, 500, 999]);
    expect(output).toBeLessThan(2e-3);
  });

  it("with a function of scores", async () => {
    const of = { ...base, kvHeads: 4 };
    const { q, k, v } = operandsOf(opened(), "f16", of);
    const out = attention(q, k, v, { score: bias, causal: true });
    const { output } = await distance(out, undefined, { q, k, v }, of, { score: inJavaScript, causal: true }, [0, 500, 999]);
    expect(output).toBeLessThan(2e-3);
  });
});
