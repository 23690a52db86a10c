import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import { type AttentionDecodePlan, attentionDecode, attentionDecodeKernel } from "warpsmith/kernels";
import type { Half } from "./attended.ts";
import { type DecodeShape, decodeDistance, decodingOf, rowsOf } from "./decoded.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator", { check: "strict" });
});
afterAll(() => device.dispose());

/** Heads are split wherever a block of threads is full: after one block of keys. */
const plan: AttentionDecodePlan = { keys: 64, stages: 2, blocks: 2, least: 1 };
const small: DecodeShape = { batches: 2, heads: 8, kvHeads: 2, keys: 200, d: 64 };

const near = (dtype: Half): number => (dtype === "f16" ? 1e-3 : 8e-3);

async function check(dtype: Half, of: DecodeShape, plan: AttentionDecodePlan | undefined, scale?: number): Promise<void> {
  const given = decodingOf(device, dtype, of);
  const { q, k, v, lengths, pages } = given;
  const logSumExp = device.empty("f32", rowsOf(of)) as DeviceTensor<"f32", 2 | 3>;
  const { window } = of;
  const options = {
    logSumExp,
    ...(window ? { window } : {}),
    ...(lengths ? { lengths } : {}),
    ...(pages ? { pages } : {}),
    ...(plan ? { plan } : {}),
  };
  const out = attentionDecode(q, k, v, { ...options, ...(scale === undefined ? {} : { scale }) });
  const { output, log } = await decodeDistance(given, of, out, logSumExp, scale);
  expect(output).toBeLessThan(near(dtype));
  expect(log).toBeLessThan(1e-5);
  // The counters are as they were: a second launch adds up the same.
  const first = await out.read();
  expect(await attentionDecode(q, k, v, { ...options, ...(scale === undefined ? {} : { scale }) }).read()).toEqual(first);
}

describe("lengths", () => {
  it.each([1, 64, 65, 128, 200, 700])("all of %d keys", (keys) => check("f16", { ...small, keys }, plan));

  it.each([[[200, 77]], [[0, 1]], [[64, 200]]])("%j of 200 keys, and what is behind them is NaN", (lengths) =>
    check("f16", { ...small, lengths }, plan),
  );

  it("more batches than a warp has lanes, some of them empty", async () => {
    const lengths = Array.from({ length: 70 }, (_, i) => (i * 29) % 131);
    for (const least of [1, 3, 1000])
      await check("f16", { ...small, batches: 70, heads: 2, kvHeads: 1, keys: 130, lengths }, { ...plan, least });
  });

  it("which the launch before it has written, where launches overlap", async () => {
    const given = decodingOf(device, "f16", { ...small, lengths: [200, 77] });
    const { q, k, v, lengths } = given;
    const once = await attentionDecode(q, k, v, { plan, lengths } as never).read();
    expect(await attentionDecode(q, k, v, { plan, lengths, overlapPrevious: true } as never).read()).toEqual(once);
  });
});

describe("heads", () => {
  it.each([
    [64, 64],
    [96, 96],
    [128, 128],
    [192, 128],
    [256, 256],
  ])("of %d elements, with values of %d, f16 and bf16", async (d, dv) => {
    for (const dtype of ["f16", "bf16"] as const)
      await check(dtype, { ...small, batches: 1, d, dv, kvHeads: 1 }, { ...plan, stages: 1 });
  });

  it.each([
    [1, 1],
    [4, 4],
    [4, 1],
    [16, 2],
    [12, 1],
    [40, 1],
  ])("%d on %d", (heads, kvHeads) => check("bf16", { ...small, heads, kvHeads, keys: 150 }, { ...plan, blocks: 1 }));

  it.each([
    [64, undefined, 1],
    [40, 70, 1],
    [33, undefined, 8],
    [41, 70, 8],
  ])(
    "%d of 256 elements on one, in a window of %s, at least %d blocks for each: more rows than registers hold parts of sums of",
    (heads, window, least) => {
      const wide = { ...small, batches: 1, heads, kvHeads: 1, keys: 150, d: 256 };
      return check("bf16", { ...wide, ...(window ? { window } : {}) }, { keys: 64, stages: 1, blocks: 1, least });
    },
  );

  it("that come behind the keys in memory", () => check("f16", { ...small, order: "sequence", lengths: [130, 200] }, plan));
});

describe("pages", () => {
  it.each([16, 32, 64, 128, 256])("of %d keys, heads before them and behind them", async (pageSize) => {
    const of = { ...small, keys: 512, pageSize, lengths: [300, 65] };
    for (const order of ["heads", "sequence"] as const) await check("f16", { ...of, order }, plan);
  });

  it("more than a warp holds numbers of", async () => {
    await check(
      "f16",
      { ...small, batches: 1, heads: 1, kvHeads: 1, keys: 1200, pageSize: 16, lengths: [1111] },
      { ...plan, least: 50 },
    );
    await check(
      "f16",
      { ...small, batches: 1, heads: 1, kvHeads: 1, keys: 128 * 36, pageSize: 128, lengths: [4500] },
      { ...plan, least: 33 },
    );
  });

  it("whose numbers behind the length are no pages", async () => {
    const of = { ...small, keys: 256, pageSize: 64, lengths: [100, 70] };
    const { q, k, v, lengths, table } = decodingOf(device, "f16", of);
    const nowhere = table.map((page, i) => (i % 4 < 2 ? page : -1000000 * i));
    const run = (numbers: readonly number[]) =>
      attentionDecode(q, k, v, { lengths, plan, pages: device.tensor("i32", [2, 4], numbers) } as never).read();
    expect(await run(nowhere)).toEqual(await run(table));
  });
});

describe("several queries", () => {
  const few = { ...small, queries: 4, keys: 200, lengths: [200, 66] };

  it.each([
    [3, 4, 4],
    [4, 16, 2],
    [5, 3, 1],
    [1, 8, 2],
  ])("%d of %d heads on %d", (queries, heads, kvHeads) =>
    check(queries % 2 === 0 ? "f16" : "bf16", { ...few, queries, heads, kvHeads }, plan),
  );

  it("of batches that have fewer keys than queries, or none", () =>
    check("f16", { ...few, batches: 4, lengths: [0, 1, 3, 4] }, plan));

  it("whose keys lie in pages", () => check("f16", { ...few, keys: 256, pageSize: 16, lengths: [250, 65] }, plan));

  it.each([
    [96, 96],
    [192, 128],
  ])("of heads of %d and %d", (d, dv) =>
    check("bf16", { ...few, batches: 1, lengths: [130], kvHeads: 1, d, dv }, { ...plan, stages: 1 }),
  );
});

describe("a window", () => {
  const seen = { ...small, window: 70, keys: 256, lengths: [256, 33] };

  it.each([1, 65, 300])("of %d keys", (window) => check("f16", { ...seen, window }, plan));

  it("with all keys", () => check("bf16", { batches: 2, heads: 4, kvHeads: 1, keys: 333, d: 64, window: 100 }, plan));

  it("of several queries", () => check("f16", { ...seen, queries: 4 }, plan));

  it.each([16, 128])("over pages of %d keys, whose numbers in front of it are no pages", async (pageSize) => {
    const of = { ...seen, pageSize, queries: 2 };
    await check("f16", of, plan);
    const { q, k, v, lengths, table } = decodingOf(device, "f16", of);
    const each = 256 / pageSize;
    const nowhere = table.map((page, i) => (i < each && ((i % each) + 1) * pageSize <= 256 - 71 ? -5 : page));
    const run = (numbers: readonly number[]) =>
      attentionDecode(q, k, v, { lengths, window: 70, plan, pages: device.tensor("i32", [2, each], numbers) } as never).read();
    expect(await run(nowhere)).toEqual(await run(table));
  });
});

describe("plans", () => {
  it.each([
    { keys: 64, stages: 1, blocks: 2, least: 2 },
    { keys: 64, stages: 3, blocks: 1, least: 2 },
    { keys: 128, stages: 2, blocks: 1, least: 1 },
    { keys: 128, stages: 1, blocks: 2, least: 100 },
    undefined,
  ] satisfies (AttentionDecodePlan | undefined)[])("%j", (one) =>
    check("f16", { ...small, keys: 400, lengths: [400, 299] }, one, 0.2),
  );
});

describe("a launch", () => {
  const cache = () => device.zeros("f16", [7, 2, 64, 64]);
  const asked = (batches: number, pages: number) => ({
    pages: device.zeros("i32", [batches, pages]),
    lengths: device.zeros("i32", [batches]),
    out: device.empty("f16", [batches, 8, 64]),
  });

  it("into memory of the author's is prepared once", () => {
    const [q, k, v, options] = [device.zeros("f16", [3, 8, 64]), cache(), cache(), asked(3, 4)];
    const { args } = attentionDecodeKernel(q, k, v, options);
    expect(attentionDecodeKernel(q, k, v, options).args).toBe(args);
    expect(attentionDecodeKernel(q, k, v, { ...options, scale: 1 }).args).not.toBe(args);
  });

  it("over another dense cache is of the same kernel, whose PTX does not know how many keys and batches there are", () => {
    const compiled = (batches: number, keys: number) => {
      const make = () => device.zeros("f16", [batches, 2, keys, 64]);
      const { kernel, args } = attentionDecodeKernel(device.zeros("f16", [batches, 8, 64]), make(), make());
      return { kernel, ptx: kernel.compile(...args).ptx };
    };
    const [one, other] = [compiled(1, 64), compiled(3, 1000)];
    expect(other.kernel).toBe(one.kernel);
    expect(other.ptx).toBe(one.ptx);
  });

  it("for other batches, lengths and pages is of the same kernel, whose PTX knows none of them", () => {
    const [k, v] = [cache(), cache()];
    const compiled = ([batches, pages]: readonly [number, number]) => {
      const { kernel, args } = attentionDecodeKernel(device.zeros("f16", [batches, 8, 64]), k, v, asked(batches, pages));
      return { kernel, ptx: kernel.compile(...args).ptx };
    };
    const [one, other] = [compiled([3, 4]), compiled([50, 9])];
    expect(other.kernel).toBe(one.kernel);
    expect(other.ptx).toBe(one.ptx);
  });

  it("over a cache of more pages is of the same kernel, whose PTX does not know how many there are, and finds them", async () => {
    const compiled = async (batches: number, keys: number) => {
      const of = { ...small, batches, keys, pageSize: 16, lengths: Array.from({ length: batches }, (_, i) => keys - i) };
      const given = decodingOf(device, "f16", of);
      const { q, k, v, lengths, pages } = given;
      const logSumExp = device.empty("f32", rowsOf(of)) as DeviceTensor<"f32", 2 | 3>;
      const options = { lengths, pages, logSumExp } as never;
      const { output } = await decodeDistance(given, of, attentionDecode(q, k, v, options), logSumExp);
      expect(output).toBeLessThan(near("f16"));
      const { kernel, args } = attentionDecodeKernel(q, k, v, options);
      return { pages: k.shape[0], kernel, ptx: kernel.compile(...args).ptx };
    };
    const [one, other] = [await compiled(1, 48), await compiled(3, 208)];
    expect([one.pages, other.pages]).toEqual([4, 40]);
    expect(other.kernel).toBe(one.kernel);
    expect(other.ptx).toBe(one.ptx);
  });
});
