import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, f32, helper, openDevice, type Tensor } from "warpsmith";
import {
  type AttentionPlan,
  attention,
  attentionDecode,
  attentionKernel,
  attentionMask,
  attentionVarlen,
} from "warpsmith/kernels";
import { rotating } from "../../support/amount.ts";
import { type Choices, distance, operandsOf, type Shape } from "./attended.ts";
import { packedDistance, packedOf } from "./packed.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

const plan: AttentionPlan = {
  consumers: 2,
  keys: 32,
  stages: 2,
  turns: true,
  overlap: true,
  slack: 8,
  persistent: false,
  group: 1,
};
/** One consumer, and half of the queries of a tile. */
const less: AttentionPlan = { ...plan, consumers: 1, turns: false };
/** More queries than a consumer has, and more keys than a stage has. */
const of: Shape = { batches: 1, heads: 2, kvHeads: 1, queries: 70, keys: 40, d: 64, dv: 64 };
const few: Shape = { ...of, queries: 33 };

/** ALiBi: a slope for each head. */
const sloping = helper(
  (score: number, query: number, key: number, head: number, _batch: number, { slopes }: { slopes: Tensor<"f32", 1> }) => {
    const slope = slopes.at(head).load();
    return score + slope * f32(key - query);
  },
);
/** A bias for each head and each distance, [heads, queries + keys - 1]. */
const relative = helper(
  (score: number, query: number, key: number, head: number, _batch: number, { table }: { table: Tensor<"f32", 2> }) =>
    score + table.at(head, key - query + 69).load(),
);
const tableOf = (head: number, at: number): number => Math.sin(head * 7 + at);

const slopes = () => device.tensor("f32", [2], [-0.03, 0.05]) as DeviceTensor<"f32", 1>;
const table = () =>
  device.tensor(
    "f32",
    [2, 109],
    Array.from({ length: 218 }, (_, i) => tableOf(Math.floor(i / 109), i % 109)),
  ) as DeviceTensor<"f32", 2>;
const slope = (head: number): number => (head === 0 ? -0.03 : 0.05);

/** +∞ for one query and key, NaN for another. */
const endless = helper((score: number, query: number, key: number) => {
  const first = query === 3 && key === 5 ? Number.POSITIVE_INFINITY : score;
  return query === 9 && key === 38 ? Number.NaN : first;
});

describe("scores that are no numbers", () => {
  it("give the logarithm that the sum has", rotating, async () => {
    const operands = operandsOf(device, "f16", few);
    const logSumExp = device.empty("f32", [1, 2, 33]) as DeviceTensor<"f32", 3>;
    const out = attention(operands.q, operands.k, operands.v, { score: endless, logSumExp, plan });
    const logs = Array.from(await logSumExp.read());
    const kinds = logs.map((x) => (Number.isFinite(x) ? "number" : String(x)));
    const expected = Array.from({ length: 66 }, (_, i) => (i % 33 === 3 ? "Infinity" : i % 33 === 9 ? "NaN" : "number"));
    expect(kinds).toEqual(expected);
    const rows = Array.from(await out.read());
    expect(expected.map((_, i) => Number.isNaN(rows[64 * i]))).toEqual(expected.map((kind) => kind !== "number"));
  });

  it("in decoding, too", rotating, async () => {
    const [q, v] = [device.tensor("f16", [1, 2, 64], new Array(128).fill(1)), device.zeros("f16", [1, 2, 40, 64])];
    const keys = Array.from({ length: 2 * 40 * 64 }, (_, i) => (i === 5 * 64 ? Number.POSITIVE_INFINITY : 0));
    const logSumExp = device.empty("f32", [1, 2]) as DeviceTensor<"f32", 2>;
    await attentionDecode(q, device.tensor("f16", [1, 2, 40, 64], keys), v, { logSumExp }).read();
    const [first, second] = await logSumExp.read();
    expect([first, Math.abs((second ?? 0) - Math.log(40)) < 1e-4]).toEqual([Number.POSITIVE_INFINITY, true]);
  });
});

describe("a function of scores that looks at tensors", () => {
  it("a slope for each head, which may change", async () => {
    const operands = operandsOf(device, "f16", of);
    const data = { slopes: slopes() };
    const out = device.empty("f16", [1, 2, 70, 64]) as typeof operands.q;
    const options = { score: sloping, data, out, causal: true, plan };
    attention(operands.q, operands.k, operands.v, options);
    const score: Choices["score"] = (s, query, key, head) => s + slope(head) * (key - query);
    const choices = { causal: true, score };
    expect((await distance(out, undefined, operands, of, choices)).output).toBeLessThan(2e-3);
    data.slopes.write(Float32Array.from([0, 0]));
    attention(operands.q, operands.k, operands.v, options);
    expect((await distance(out, undefined, operands, of, { causal: true })).output).toBeLessThan(2e-3);
  });

  it("a table of biases, which has an element for each pair that there is and no more", rotating, async () => {
    const operands = operandsOf(device, "f16", of);
    const out = attention(operands.q, operands.k, operands.v, { score: relative, data: { table: table() }, plan });
    const score: Choices["score"] = (s, query, key, head) => s + tableOf(head, key - query + 69);
    expect((await distance(out, undefined, operands, of, { score })).output).toBeLessThan(2e-3);
  });

  it("with a mask that looks at others", rotating, async () => {
    const operands = operandsOf(device, "f16", few);
    const ends = device.tensor("i32", [1], [30]) as DeviceTensor<"i32", 1>;
    const before = helper((query: number, key: number, _h: number, _b: number, data: { readonly ends: Tensor<"i32", 1> }) => {
      const inPrompt = key < data.ends.at(0).load();
      return key <= query || inPrompt;
    });
    using mask = attentionMask(device, before, { queries: 33, keys: 40, data: { ends } });
    const out = attention(operands.q, operands.k, operands.v, { mask, score: relative, data: { table: table() }, plan: less });
    const score: Choices["score"] = (s, query, key, head) =>
      key <= query || key < 30 ? s + tableOf(head, key - query + 69) : Number.NEGATIVE_INFINITY;
    expect((await distance(out, undefined, operands, few, { score })).output).toBeLessThan(2e-3);
  });

  it("of packed sequences, by places in them", rotating, async () => {
    const shape = { heads: 2, kvHeads: 1, d: 64, dv: 64, queries: [20, 0, 70, 1], keys: [10, 20, 0, 40] };
    const given = packedOf(device, "f16", shape);
    const { q, k, v, cuSeqlens, cuSeqlensKeys, total } = given;
    const out = device.tensor("f16", [total, 2, 64], Array<number>(total * 128).fill(7)) as DeviceTensor<"f16", 3>;
    const logSumExp = device.tensor("f32", [2, total], Array<number>(total * 2).fill(7)) as DeviceTensor<"f32", 2>;
    const data = { table: table() };
    attentionVarlen(q, k, v, { cuSeqlens, cuSeqlensKeys, out, logSumExp, score: relative, data, plan: less } as never);
    const score = (s: number, query: number, key: number, head: number) => s + tableOf(head, key - query + 69);
    const { output, log, kept } = await packedDistance(given, { ...shape, score }, out, logSumExp);
    expect(output).toBeLessThan(2e-3);
    expect(log).toBeLessThan(1e-4);
    expect(kept).toBe(true);
  });

  it("other tensors of as many dimensions are no new kernel, and the same are not prepared again", () => {
    const { q, k, v } = operandsOf(device, "f16", of);
    const out = device.empty("f16", [1, 2, 70, 64]) as typeof q;
    const [one, wide] = [table(), device.zeros("f32", [2, 500])];
    const asked = (given: DeviceTensor<"f32", 2>) => attentionKernel(q, k, v, { score: relative, data: { table: given }, out });
    const [first, other] = [asked(one), asked(wide)];
    expect(other.kernel).toBe(first.kernel);
    expect(other.kernel.compile(...other.args).ptx).toBe(first.kernel.compile(...first.args).ptx);
    expect(asked(one).args).toBe(first.args);
    expect(other.args).not.toBe(first.args);
  });
});
