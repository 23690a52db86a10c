import { afterAll, describe, expect, it } from "vitest";
import { kernel, openDevice, type Tensor, type u32 } from "warpsmith";
import { argmax, type RowPlan, type SampleOptions, sample } from "warpsmith/kernels";
import { philox } from "../../../src/kernels/select/philox.ts";
import { amount, rotating, some } from "../../support/amount.ts";
import { columnsInOrder, matrix, rowsOf } from "./select-cases.ts";

const gpu = await openDevice("emulator", { check: "strict" });
afterAll(() => gpu.dispose());

type Float = "f16" | "bf16" | "f32";
interface Cuts {
  readonly temperature?: number;
  readonly topK?: number;
  readonly topP?: number;
}

/** Columns that can be drawn, in their order, each with the probability that it or one before it is. */
function drawn(row: readonly number[], { temperature = 1, topK = row.length, topP = 1 }: Cuts): (readonly [number, number])[] {
  const order = columnsInOrder([...row]).slice(0, topK);
  const max = row[order[0] ?? 0] ?? 0;
  const powers = order.map((c) => Math.exp(((row[c] ?? 0) - max) / temperature));
  const whole = powers.reduce((a, b) => a + b);
  let sum = 0;
  const sums = order.map((c, i) => {
    sum += (powers[i] ?? 0) / whole;
    return [c, sum] as const;
  });
  const last = sums.findIndex(([, upTo]) => upTo >= topP - 1e-9);
  const kept = sums.slice(0, last < 0 ? undefined : last + 1);
  const all = kept.at(-1)?.[1] ?? 1;
  return kept.map(([c, upTo]) => [c, upTo / all]);
}

/** Whether that column is where the sum passes u, as exactly as f32 has it. */
function isRight(row: readonly number[], cuts: Cuts, u: number, column: number): boolean {
  const sums = drawn(row, cuts);
  const at = sums.findIndex(([c]) => c === column);
  return at >= 0 && u >= (sums[at - 1]?.[1] ?? 0) - 1e-5 && u <= (sums[at]?.[1] ?? 0) + 1e-5;
}

const uniforms = (n: number): number[] =>
  Array.from({ length: n }, (_, i) => (i === 1 ? 0 : i === 2 ? 1 - 2 ** -24 : ((i + 1) * 0.618034) % 1));

const ways: readonly (readonly [Float, readonly [number, number], Cuts, RowPlan | undefined])[] = [
  ["bf16", [2, 260], { topK: 50, topP: 0.9, temperature: 1.5 }, { threads: 32, group: "block" }],
  ["bf16", [2, 1032], { topK: 50, topP: 0.9, temperature: 1.5 }, { threads: 64, group: "block", cluster: 2 }],
  ["bf16", [4, 1001], { temperature: 0.7 }, undefined],
  ["f16", [4, 333], { topK: 40 }, { threads: 64, group: "block" }],
  ["f32", [4, 700], { topP: 0.8, temperature: 2 }, { threads: 96, group: "block", depth: 1 }],
  ["f32", [4, 1000], {}, undefined],
  ["f32", [5, 1], { topK: 1, topP: 0.5 }, undefined],
];

describe("sample", () => {
  it.each(some(ways, 0))("of %s %j, %j", async (dtype, shape, cuts, plan) => {
    const x = matrix(gpu, dtype, shape, "normal", true);
    const numbers = uniforms(shape[0]).map(Math.fround);
    const uniform = gpu.tensor("f32", [shape[0]], numbers);
    const got = [...(await sample(x, { ...cuts, uniform, ...(plan ? { plan } : {}) }).read())];
    const rows = await rowsOf(x);
    expect(got.filter((column, r) => !isRight(rows[r] ?? [], cuts, numbers[r] ?? 0, column))).toEqual([]);
  });

  it("draws each column as often as its probability says, and the same columns by the same seed", rotating, async () => {
    const [n, few, logits] = [amount(800, 32), 8, [1, 0, -1, 2]];
    const x = gpu.tensor("f32", [n, 4], Array.from({ length: n }, () => logits).flat());
    const plan: RowPlan = { threads: 32, group: "block" };
    const draw = async (seed: number, offset = 0, count = few) => [
      ...(await sample(x.slice([0, count]), { seed, offset, plan }).read()),
    ];
    const first = await draw(7, 0, n);
    const powers = logits.map(Math.exp);
    const whole = powers.reduce((a, b) => a + b);
    for (const [c, power] of powers.entries()) {
      const [share, wanted] = [first.filter((column) => column === c).length / n, power / whole];
      expect(Math.abs(share - wanted)).toBeLessThan(5 * Math.sqrt((wanted * (1 - wanted)) / n));
    }
    expect(await draw(7)).toEqual(first.slice(0, few));
    for (const other of [await draw(8), await draw(7, 1), await draw(7 + 2 ** 40), await draw(7, 2 ** 40)])
      expect(other.filter((column, i) => column === first[i]).length).toBeLessThan(0.9 * few);
  });

  const narrowed = [
    { topK: 1, seed: 3 },
    { temperature: 1e-3, topP: 0.4, seed: 3 },
  ] as const;
  it.each(some(narrowed, 1))(
    "takes the first number where one can be drawn, and -1 where there are no probabilities: %j",
    async (by) => {
      const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
      const x = gpu.tensor("f32", [5, 3], [1, 5, 5, nan, 1, 2, inf, 0, 0, -inf, -inf, -inf, -inf, 0, -inf]);
      expect([...(await sample(x, by).read())]).toEqual([1, -1, -1, -1, 1]);
      expect([...(await argmax(x.slice([0, 1])).read())]).toEqual([1]);
    },
  );

  it("refuses what it cannot draw by", () => {
    const code = (expected: string) => expect.objectContaining({ code: expected });
    const x = gpu.zeros("f32", [4, 8]);
    const wrong: readonly (readonly [string, SampleOptions])[] = [
      ["W7711", {}],
      ["W7711", { seed: 1, uniform: gpu.zeros("f32", [4]) }],
      ["W7046", { seed: -1 }],
      ["W7046", { seed: 1, offset: 0.5 }],
      ["W7046", { seed: 1, temperature: 0 }],
      ["W7046", { seed: 1, topP: 1.5 }],
      ["W7624", { seed: 1, topK: 9 }],
      ["W7616", { uniform: gpu.zeros("f32", [5]) }],
      ["W7613", { seed: 1, plan: { threads: 64, group: "warp" } }],
    ];
    for (const [expected, options] of wrong) expect(() => sample(x, options)).toThrow(code(expected));
  });
});

const words = kernel({ block: 1, grid: 1 }, function words(y: Tensor<"u32", 1>, counter: u32, key: u32) {
  for (const [i, word] of philox([counter, counter, counter, counter], [key, key]).entries()) y.at(i).store(word);
});

it.each([
  [0, ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]],
  [0xffffffff, ["408f276d", "41c83b0e", "a20bc7c6", "6d5451fd"]],
])("philox of %i has the words of the authors' own tests", async (number, want) => {
  const y = gpu.zeros("u32", [4]);
  words.launch({}, y, number, number);
  expect([...(await y.read())].map((word) => word.toString(16))).toEqual(want);
});
