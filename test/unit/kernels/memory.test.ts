import { afterAll, describe, expect, it } from "vitest";
import { type DeviceTensor, helper, openDevice } from "warpsmith";
import {
  add,
  argmax,
  argmin,
  copy,
  crossEntropy,
  kernelOf,
  logSoftmax,
  logSumExp,
  map,
  max,
  min,
  type RowPlan,
  rmsNorm,
  softmax,
  sum,
  sumColumns,
  transpose,
} from "warpsmith/kernels";
import { some } from "../../support/amount.ts";
import { openFake } from "../cuda/open-fake.ts";

const gpu = await openDevice("emulator", { check: "strict" });
afterAll(() => gpu.dispose());

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const rows = [
  [1, nan, 2, 3],
  [1, inf, 2, 3],
  [-inf, -inf, -inf, -inf],
  [-inf, 0, -inf, 0],
  [inf, -inf, nan, inf],
  [80, -80, 88, 88],
];
const special = () => gpu.tensor("f32", [rows.length, 4], rows.flat());
/** A row in registers, and one that is read again. */
const plans: readonly RowPlan[] = [
  { threads: 32, group: "warp" },
  { threads: 32, group: "block", keep: false },
];

describe("NaN and infinities, as PyTorch has them", () => {
  it.each(plans)("in softmax, $group", async (plan) => {
    const got = Array.from(await softmax(special(), { plan }).read());
    const all = (value: number) => [value, value, value, value];
    expect(got.slice(0, 16)).toEqual([...all(nan), ...all(nan), ...all(nan), 0, 0.5, 0, 0.5]);
    expect(got.slice(16, 20)).toEqual(all(nan));
    expect(got.slice(20).map((v) => Math.round(v * 1e4))).toEqual([2, 0, 4999, 4999]);
  });

  it.each(some(plans, 0))("in what gives one number for a row, and in logSoftmax, $group", async (plan) => {
    expect([...(await argmax(special(), { plan }).read())]).toEqual([1, 1, 0, 1, 2, 2]);
    expect([...(await max(special(), { plan }).read())]).toEqual([nan, inf, -inf, 0, nan, 88]);
    expect([...(await min(special(), { plan }).read())]).toEqual([nan, 1, -inf, -inf, nan, -80]);
    expect([...(await argmin(special(), { plan }).read())]).toEqual([1, 0, 0, 0, 2, 1]);
    const half = Math.round(Math.LN2 * 1e3) / 1e3;
    const logarithms = [...(await logSumExp(special(), { plan }).read())];
    expect(logarithms.map((v) => Math.round(v * 1e3) / 1e3)).toEqual([nan, inf, -inf, half, nan, 88 + half]);
    const logs = [...(await logSoftmax(special(), { plan }).read())];
    expect(logs.slice(0, 12).every(Number.isNaN) && logs.slice(16, 20).every(Number.isNaN)).toBe(true);
    expect([...logs.slice(12, 16), ...logs.slice(20)].map((v) => Math.round(v * 1e3) / 1e3)).toEqual([
      ...[-inf, -half, -inf, -half],
      ...[-8 - half, -168 - half, -half, -half],
    ]);
    expect([...(await sum(special(), { plan }).read())]).toEqual([nan, inf, -inf, -inf, nan, 176]);
    const targets = gpu.tensor("i64", [6], [0n, 0n, 0n, 1n, -100n, -100n]);
    const both = gpu.empty("f32", [6]);
    const losses = [...(await crossEntropy(special(), targets, { plan, logSumExp: both }).read())];
    expect(losses.map((v) => Math.round(v * 1e4) / 1e4)).toEqual([nan, inf, nan, Math.round(Math.LN2 * 1e4) / 1e4, 0, 0]);
    expect([...(await both.read())]).toEqual(logarithms);
    const there = gpu.tensor("i64", [6], [1n, 1n, 3n, 0n, 0n, 2n]);
    const ofThose = [...(await crossEntropy(special(), there, { plan }).read())];
    expect(ofThose.map((v) => Math.round(v * 1e3) / 1e3)).toEqual([nan, nan, nan, inf, nan, half]);
  });
});

describe("memory of the author's", () => {
  const numbers = (n: number) => Float32Array.from({ length: n }, (_, i) => Math.sin(i));

  it.each(some([...plans, { threads: 32, group: "block" } as const], 2))(
    "may be the operand itself: $group, $keep",
    async (plan) => {
      const [x, y, r] = [0, 0, 5].map((by) => gpu.tensor("f32", [3, 96], numbers(288 + by).subarray(by))) as [
        DeviceTensor<"f32", 2>,
        DeviceTensor<"f32", 2>,
        DeviceTensor<"f32", 2>,
      ];
      const want = await softmax(x, { plan }).read();
      expect(softmax(y, { plan, out: y })).toBe(y);
      expect(await y.read()).toEqual(want);
      const weight = gpu.tensor("f32", [96], numbers(96));
      const total = gpu.empty("f32", [3, 96]);
      const normed = await rmsNorm(x, weight, { plan, residual: r, sum: total }).read();
      const again = gpu.empty("f32", [3, 96]);
      rmsNorm(x, weight, { plan, residual: r, sum: x, out: again });
      expect([await again.read(), await x.read()]).toEqual([normed, await total.read()]);
      rmsNorm(x, weight, { plan, out: x });
      expect(await x.read()).toEqual(normed);
    },
  );

  it("is refused where threads would read what others have written", () => {
    const x = gpu.zeros("f32", [4, 64]);
    const weight = gpu.zeros("f32", [64]);
    const code = (expected: string) => expect.objectContaining({ code: expected });
    expect(() => softmax(x.slice([0, 3]), { out: x.slice([1, 4]) })).toThrow(code("W7618"));
    expect(() => rmsNorm(x, weight, { residual: copy(x), sum: x, out: x })).toThrow(code("W7619"));
    expect(() => sumColumns(x, { out: x.slice([0, 1]).reshape(64) })).toThrow(code("W7619"));
    const more = { x, by: x.slice([0, 1]).reshape(64) };
    expect(() =>
      map(
        more,
        helper(({ x, by }) => x * by),
        { out: x },
      ),
    ).toThrow(code("W7619"));
  });

  it("takes functions that give no number", () => {
    const wrong = helper(({ x }: { readonly x: number }) => (x > 0) as unknown as number);
    expect(() => map({ x: gpu.zeros("f32", [64]) }, wrong)).toThrow(expect.objectContaining({ code: "W7615" }));
  });
});

describe("what is compiled", () => {
  it("is one kernel for all numbers of rows, and for all sizes of elements", async () => {
    const { fake, device } = await openFake({
      kernels: { softmax: { parameterBytes: [8, 4, 8, 4] }, map: { parameterBytes: [8, 4, 8, 4, 8, 4] } },
    });
    const loads = () => fake.countOf("cuModuleGetFunction");
    for (const n of [3, 4, 1000]) softmax(device.empty("bf16", [n, 512]), { out: device.empty("bf16", [n, 512]) });
    softmax(device.empty("bf16", [2, 7, 512]));
    expect(loads()).toBe(1);
    for (const n of [64, 1000, 12_345]) add(device.empty("f32", [n]), device.empty("f32", [n]));
    add(device.empty("f32", [5, 12]), device.empty("f32", [5, 12]));
    expect(loads()).toBe(2);
  });

  it("is what kernelOf gives", async () => {
    const x = gpu.tensor("f32", [2, 3], [1, 2, 3, 4, 5, 6]);
    const { kernel, args, out } = kernelOf(transpose, x);
    expect(kernel.compile(...(args as never[])).ptx).toContain(".entry transpose");
    kernel.launch({}, ...args);
    expect([...((await out.read()) as ArrayLike<number> & Iterable<number>)]).toEqual([1, 4, 2, 5, 3, 6]);
    expect(() => kernelOf((y: unknown) => y, x)).toThrow(expect.objectContaining({ code: "W7616" }));
  });
});
