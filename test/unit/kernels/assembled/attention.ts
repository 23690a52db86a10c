import { type Device, type DeviceTensor, f32, helper, type Tensor } from "warpsmith";
import {
  type AttentionOptions,
  attentionDecodeKernel,
  attentionKernel,
  attentionMask,
  attentionVarlenKernel,
} from "warpsmith/kernels";
import { type Assembling, type Devices, ptxOf } from "./assembling.ts";

const bias = helper((score: number, query: number, key: number, head: number) => score - f32(head + 1) * f32(query - key));
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
const before = helper((query: number, key: number) => key <= query);
const inDocument = helper((query: number, key: number, _head: number, _batch: number, data: { documents: Tensor<"i32", 1> }) => {
  const same = data.documents.at(query).load() === data.documents.at(key).load();
  return key <= query && same;
});

type Widths = readonly [d: number, dv: number];
const sizes: readonly Widths[] = [
  [64, 64],
  [96, 96],
  [128, 128],
  [192, 128],
  [256, 256],
];
const choices: Readonly<Record<string, AttentionOptions>> = {
  full: {},
  causal: { causal: true },
  "in a window": { causal: true, window: 512 },
  "with a bias": { score: bias },
};

const heads = (device: Device, length: number, width: number) => device.empty("bf16", [1, 2, length, width]);
const packed = (device: Device, length: number, width: number) => device.empty("bf16", [length, 2, width]);

/** What a call is about, and its kernel for heads of those widths. */
type Way = readonly [what: string, ptx: (on: Devices, d: number, dv: number) => string];

const attentionPtx = (fake: Device, [d, dv]: Widths, length: number, options: AttentionOptions): string => {
  const [q, k, v] = [heads(fake, length, d), heads(fake, length, d), heads(fake, length, dv)];
  const logSumExp = fake.empty("f32", [1, 2, length]);
  return ptxOf(attentionKernel(q, k, v, { ...options, logSumExp } as AttentionOptions<"bf16">));
};

const fixed: readonly Way[] = Object.entries(choices).map(([name, options]) => [
  `attention, ${name}`,
  ({ fake }, d, dv) => attentionPtx(fake, [d, dv], 16384, options),
]);

const varlen: readonly Way[] = Object.entries(choices).map(([name, { causal, window, score }]) => [
  `attentionVarlen, ${name}`,
  ({ fake }, d, dv) => {
    const given = { cuSeqlens: fake.empty("i32", [9]), logSumExp: fake.empty("f32", [2, 4096]) };
    const [q, k, v] = [packed(fake, 4096, d), packed(fake, 4096, d), packed(fake, 4096, dv)];
    const options = { ...(causal ? { causal } : {}), ...(window ? { window } : {}), ...(score ? { score } : {}) };
    return ptxOf(attentionVarlenKernel(q, k, v, { ...given, ...options }));
  },
]);

const masks = ["no data", "of documents", "of documents, by small blocks"] as const;

/** Kernels list the blocks of a mask: they run. */
function maskOf(device: Device, which: (typeof masks)[number], cuSeqlens?: DeviceTensor<"i32", 1>) {
  const of = { queries: 256, keys: 256, ...(cuSeqlens ? { cuSeqlens } : {}) };
  if (which === "no data") return attentionMask(device, before, of);
  const data = { documents: device.zeros("i32", [256]) as DeviceTensor<"i32", 1> };
  const block = which === "of documents" ? {} : { block: { queries: 64, keys: 64 } as const };
  return attentionMask(device, inDocument, { ...of, data, ...block });
}

/** With each mask one of the two reads scores' bias, too. */
const masked: readonly Way[] = masks.flatMap((which, i): readonly Way[] => {
  const [ofFixed, ofVarlen] = which === "of documents" ? [{ score: bias }, {}] : [{}, { score: bias }];
  return [
    [
      `attention, a mask of ${which}${i === 1 ? ", with a bias" : ""}`,
      ({ emulator }, d, dv) => {
        const [q, k, v] = [heads(emulator, 256, d), heads(emulator, 256, d), heads(emulator, 256, dv)];
        return ptxOf(attentionKernel(q, k, v, { mask: maskOf(emulator, which), ...ofFixed }));
      },
    ],
    [
      `attentionVarlen, a mask of ${which}${i === 1 ? "" : ", with a bias"}`,
      ({ emulator }, d, dv) => {
        const cuSeqlens = emulator.tensor("i32", [3], [0, 100, 256]) as DeviceTensor<"i32", 1>;
        const [q, k, v] = [packed(emulator, 256, d), packed(emulator, 256, d), packed(emulator, 256, dv)];
        const given = { cuSeqlens, mask: maskOf(emulator, which, cuSeqlens), logSumExp: emulator.empty("f32", [2, 256]) };
        return ptxOf(attentionVarlenKernel(q, k, v, { ...given, ...ofVarlen }));
      },
    ],
  ];
});

const withData: readonly Way[] = [
  [
    "attention, a table of scores",
    ({ fake }, d, dv) => {
      const data = { table: fake.empty("f32", [2, 8191]) as DeviceTensor<"f32", 2> };
      return ptxOf(attentionKernel(heads(fake, 256, d), heads(fake, 256, d), heads(fake, 256, dv), { score: relative, data }));
    },
  ],
  [
    "attention, causal, slopes of heads",
    ({ fake }, d, dv) => {
      const data = { slopes: fake.empty("f32", [2]) as DeviceTensor<"f32", 1> };
      const options = { causal: true, score: sloping, data };
      return ptxOf(attentionKernel(heads(fake, 256, d), heads(fake, 256, d), heads(fake, 256, dv), options));
    },
  ],
  [
    "attention, a mask and a table of scores",
    ({ emulator }, d, dv) => {
      const data = { table: emulator.empty("f32", [2, 8191]) as DeviceTensor<"f32", 2> };
      const [q, k, v] = [heads(emulator, 256, d), heads(emulator, 256, d), heads(emulator, 256, dv)];
      return ptxOf(attentionKernel(q, k, v, { mask: maskOf(emulator, "no data"), score: relative, data }));
    },
  ],
];

type Decoding = readonly [
  queries: number,
  heads: number,
  kvHeads: number,
  pageSize: number | undefined,
  window: number | undefined,
];

/** As many queries of 256 elements as of others registers do not hold; one of many heads they do. */
const decodings = (d: number): readonly Decoding[] => [
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
];

function decodePtx(fake: Device, [d, dv]: Widths, [queries, count, kvHeads, pageSize, window]: Decoding): string {
  const [batches, keys] = [2, 1024];
  const cache = (width: number) => {
    const shape = pageSize === undefined ? [batches, kvHeads, keys, width] : [128, kvHeads, pageSize, width];
    return fake.empty("bf16", shape as [number, number, number, number]);
  };
  const made = attentionDecodeKernel(fake.empty("bf16", [batches, queries, count, d]), cache(d), cache(dv), {
    logSumExp: fake.empty("f32", [batches, queries, count]),
    lengths: fake.empty("i32", [batches]),
    ...(pageSize === undefined ? {} : { pages: fake.empty("i32", [batches, keys / pageSize]) }),
    ...(window === undefined ? {} : { window }),
  });
  return ptxOf(made);
}

/** Kernels of `attention`, `attentionVarlen` and `attentionDecode`, for heads of each width. */
export const attentions: readonly Assembling[] = [
  { title: "attention, full, 1000 keys, heads of 128 and 128", ptx: ({ fake }) => attentionPtx(fake, [128, 128], 1000, {}) },
  ...sizes.flatMap((size) => [
    ...[...fixed, ...varlen, ...masked, ...withData].map(([what, ptx]) => ({
      title: `${what}, heads of ${size.join(" and ")}`,
      ptx: (on: Devices) => ptx(on, ...size),
    })),
    ...decodings(size[0]).map((one) => ({
      title: `attentionDecode, ${one[0]} queries of ${one[1]} heads on ${one[2]}, pages of ${one[3]}, a window of ${one[4]}, heads of ${size.join(" and ")}`,
      ptx: ({ fake }: Devices) => decodePtx(fake, size, one),
    })),
  ]),
];
