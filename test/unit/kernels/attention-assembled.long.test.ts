import { describe, expect, it } from "vitest";
import { f32, helper, openDevice, type Tensor } from "warpsmith";
import {
  type AttentionOptions,
  attentionDecodeKernel,
  attentionKernel,
  attentionMask,
  attentionVarlenKernel,
} from "warpsmith/kernels";
import { assemble, noPtxas } from "../../support/ptxas.ts";
import { verifyAfterEachPass } from "../../support/verify-after-each-pass.ts";
import { openFake } from "../cuda/open-fake.ts";

verifyAfterEachPass();

const bias = helper((score: number, query: number, key: number, head: number) => score - f32(head + 1) * f32(query - key));

const sizes = [
  [64, 64],
  [96, 96],
  [128, 128],
  [192, 128],
  [256, 256],
] as const;
const choices: Readonly<Record<string, AttentionOptions>> = {
  full: {},
  causal: { causal: true },
  "in a window": { causal: true, window: 512 },
  "with a bias": { score: bias },
};
const before = helper((query: number, key: number) => key <= query);
const inDocument = helper((query: number, key: number, _head: number, _batch: number, data: { documents: Tensor<"i32", 1> }) => {
  const same = data.documents.at(query).load() === data.documents.at(key).load();
  return key <= query && same;
});

const all = Object.keys(choices).flatMap((name) => sizes.map(([d, dv]) => [name, d, dv] as const));

describe.skipIf(noPtxas !== undefined)("kernels of attention with a mask through ptxas", () => {
  it.each(sizes)("heads of %d and %d: nothing spills, no product waits for another", async (d, dv) => {
    const device = await openDevice("emulator");
    const make = (width: number) => device.empty("bf16", [1, 2, 256, width]);
    const documents = device.zeros("i32", [256]);
    const of = { queries: 256, keys: 256 };
    const narrow = { queries: 64, keys: 64 } as const;
    for (const mask of [
      attentionMask(device, before, of),
      attentionMask(device, inDocument, { ...of, data: { documents } }),
      attentionMask(device, inDocument, { ...of, data: { documents }, block: narrow }),
    ])
      for (const score of [undefined, bias]) {
        const { kernel, args } = attentionKernel(make(d), make(d), make(dv), { mask, ...(score ? { score } : {}) });
        const result = assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
        expect(result?.log).not.toMatch(/error/);
        expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
      }
    await device[Symbol.asyncDispose]();
  });
});

describe.skipIf(noPtxas !== undefined)("kernels of attention of packed sequences with a mask through ptxas", () => {
  it.each(sizes)("heads of %d and %d: nothing spills, no product waits for another", async (d, dv) => {
    const device = await openDevice("emulator");
    const make = (width: number) => device.empty("bf16", [256, 2, width]);
    const documents = device.zeros("i32", [256]);
    const cuSeqlens = device.tensor("i32", [3], [0, 100, 256]);
    const logSumExp = device.empty("f32", [2, 256]);
    const of = { queries: 256, keys: 256, cuSeqlens };
    for (const mask of [
      attentionMask(device, before, of),
      attentionMask(device, inDocument, { ...of, data: { documents } }),
      attentionMask(device, inDocument, { ...of, data: { documents }, block: { queries: 64, keys: 64 } }),
    ])
      for (const score of [undefined, bias]) {
        const options = { cuSeqlens, mask, logSumExp, ...(score ? { score } : {}) };
        const { kernel, args } = attentionVarlenKernel(make(d), make(d), make(dv), options);
        const result = assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
        expect(result?.log).not.toMatch(/error/);
        expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
      }
    await device[Symbol.asyncDispose]();
  });
});

describe.skipIf(noPtxas !== undefined)("kernels of attention through ptxas", () => {
  it.each([...all.map((one) => [...one, 16384] as const), ["full", 128, 128, 1000]] as const)(
    "%s, heads of %d and %d, %d keys: nothing spills, no product waits for another",
    async (name, d, dv, length) => {
      const { device } = await openFake();
      const make = (width: number) => device.empty("bf16", [1, 2, length, width]);
      const logSumExp = device.empty("f32", [1, 2, length]);
      const { kernel, args } = attentionKernel(make(d), make(d), make(dv), {
        ...choices[name],
        logSumExp,
      } as AttentionOptions<"bf16">);
      const result = assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
      expect(result?.log).not.toMatch(/error/);
      expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
    },
  );
});

const sloping = helper(
  (score: number, query: number, key: number, head: number, _batch: number, data: { slopes: Tensor<"f32", 1> }) => {
    const slope = data.slopes.at(head).load();
    return score + slope * f32(key - query);
  },
);
const relative = helper(
  (score: number, query: number, key: number, head: number, _batch: number, data: { table: Tensor<"f32", 2> }) =>
    score + data.table.at(head, key - query + 4095).load(),
);

describe.skipIf(noPtxas !== undefined)("kernels of attention with tensors of scores through ptxas", () => {
  it.each(sizes)("heads of %d and %d: nothing spills, no product waits for another", async (d, dv) => {
    const device = await openDevice("emulator");
    const make = (width: number) => device.empty("bf16", [1, 2, 256, width]);
    const [slopes, table] = [device.empty("f32", [2]), device.empty("f32", [2, 8191])];
    const mask = attentionMask(device, before, { queries: 256, keys: 256 });
    for (const one of [
      attentionKernel(make(d), make(d), make(dv), { score: relative, data: { table } }),
      attentionKernel(make(d), make(d), make(dv), { causal: true, score: sloping, data: { slopes } }),
      attentionKernel(make(d), make(d), make(dv), { mask, score: relative, data: { table } }),
    ]) {
      const result = assemble(one.kernel.compile(...(one.args as Parameters<typeof one.kernel.compile>)).ptx);
      expect(result?.log).not.toMatch(/error/);
      expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
    }
    await device[Symbol.asyncDispose]();
  });
});

describe.skipIf(noPtxas !== undefined)("kernels of attentionVarlen through ptxas", () => {
  it.each(all)("%s, heads of %d and %d: nothing spills, no product waits for another", async (name, d, dv) => {
    const { device } = await openFake();
    const make = (width: number) => device.empty("bf16", [4096, 2, width]);
    const given = { cuSeqlens: device.empty("i32", [9]), logSumExp: device.empty("f32", [2, 4096]) };
    const { causal, window, score } = choices[name] ?? {};
    const { kernel, args } = attentionVarlenKernel(make(d), make(d), make(dv), {
      ...{ ...given, ...(causal ? { causal } : {}), ...(window ? { window } : {}), ...(score ? { score } : {}) },
    });
    const result = assemble(kernel.compile(...(args as Parameters<typeof kernel.compile>)).ptx);
    expect(result?.log).not.toMatch(/error/);
    expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
  });
});

type Decoding = readonly [
  queries: number,
  heads: number,
  kvHeads: number,
  pageSize: number | undefined,
  window: number | undefined,
];

/** As many queries of 256 elements as of others registers do not hold; one of many heads they do. */
const decoding = sizes.flatMap(([d, dv]) =>
  (
    [
      [1, 64, 1, undefined, undefined],
      [1, 48, 1, 64, 512],
      ...(d === 256
        ? ([
            [1, 33, 1, undefined, undefined],
            [1, 41, 1, 64, 512],
          ] as const)
        : []),
      [1, 32, 4, undefined, undefined],
      [4, 32, 4, 64, undefined],
      [d === 256 ? 4 : 8, 8, 1, undefined, 512],
      [d === 256 ? 32 : 64, 4, 4, 16, 512],
    ] satisfies readonly Decoding[]
  ).map((one): readonly [...Decoding, d: number, dv: number] => [...one, d, dv]),
);

describe.skipIf(noPtxas !== undefined)("kernels of attentionDecode through ptxas", () => {
  it.each(decoding)(
    "%d queries of %d heads on %d, pages of %s, a window of %s, heads of %d and %d: nothing spills, no product waits for another",
    async (queries, heads, kvHeads, pageSize, window, d, dv) => {
      const { device } = await openFake();
      const [batches, keys] = [2, 1024];
      const cache = (width: number) => {
        const shape = pageSize === undefined ? [batches, kvHeads, keys, width] : [128, kvHeads, pageSize, width];
        return device.empty("bf16", shape as [number, number, number, number]);
      };
      const { kernel, args } = attentionDecodeKernel(device.empty("bf16", [batches, queries, heads, d]), cache(d), cache(dv), {
        logSumExp: device.empty("f32", [batches, queries, heads]),
        lengths: device.empty("i32", [batches]),
        ...(pageSize === undefined ? {} : { pages: device.empty("i32", [batches, keys / pageSize]) }),
        ...(window === undefined ? {} : { window }),
      });
      const result = assemble(kernel.compile(...args).ptx);
      expect(result?.log).not.toMatch(/error/);
      expect(result).toMatchObject({ ok: true, spills: 0, warnings: [] });
    },
  );
});
