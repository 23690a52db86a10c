import { afterAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import { attentionDecode } from "warpsmith/kernels";
import type { Half } from "../unit/kernels/attended.ts";
import { type DecodeShape, decodeDistance, decodingOf, rowsOf } from "../unit/kernels/decoded.ts";

/** A device that runs kernels, or why there is none. */
async function findDevice(): Promise<Device | string> {
  try {
    return await openDevice("cuda");
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no CUDA device") : String(error);
  }
}

const gpu = await findDevice();
if (typeof gpu === "string") console.warn(`attentionDecode does not run on a GPU: ${gpu}`);
const opened = (): Device => {
  if (typeof gpu === "string") throw new Error(gpu);
  return gpu;
};

const base: DecodeShape = { batches: 3, heads: 32, kvHeads: 4, keys: 3072, d: 128 };
const ragged = [3072, 0, 1001];
const cases: readonly (readonly [dtype: Half, of: DecodeShape])[] = [
  ["f16", base],
  ["bf16", { ...base, lengths: ragged, order: "sequence" }],
  ["f16", { ...base, d: 64, lengths: ragged }],
  ["bf16", { ...base, d: 256, lengths: ragged }],
  ["f16", { ...base, heads: 8, kvHeads: 8, lengths: ragged }],
  ["f16", { ...base, heads: 40, kvHeads: 1, lengths: ragged }],
  ["f16", { ...base, pageSize: 16, lengths: ragged }],
  ["bf16", { ...base, pageSize: 64, lengths: ragged, order: "sequence" }],
  ["f16", { ...base, pageSize: 256, lengths: ragged }],
  ["f16", { ...base, batches: 4, pageSize: 256, lengths: [...ragged, 2000] }],
  ["f16", { ...base, d: 96, lengths: ragged }],
  ["bf16", { ...base, d: 192, dv: 128, lengths: ragged }],
  ["bf16", { ...base, queries: 4, lengths: ragged }],
  ["f16", { ...base, queries: 8, pageSize: 64, lengths: [3072, 5, 1001] }],
  ["f16", { ...base, heads: 8, kvHeads: 8, queries: 3, d: 192, dv: 128, lengths: ragged }],
  ["bf16", { ...base, window: 700, lengths: ragged }],
  ["f16", { ...base, window: 100, queries: 2, pageSize: 16, lengths: ragged }],
  [
    "f16",
    { ...base, batches: 70, heads: 8, kvHeads: 1, keys: 256, lengths: Array.from({ length: 70 }, (_, i) => (i * 29) % 256) },
  ],
];

describe.skipIf(typeof gpu === "string")("attentionDecode on the GPU, against rows in f64", () => {
  afterAll(() => opened().dispose());
  it.each(cases)("%s %o", async (dtype, of) => {
    const given = decodingOf(opened(), dtype, of);
    const { q, k, v, lengths, pages } = given;
    const logSumExp = opened().empty("f32", rowsOf(of)) as DeviceTensor<"f32", 2 | 3>;
    const { window } = of;
    const options = { logSumExp, ...(window ? { window } : {}), ...(lengths ? { lengths } : {}), ...(pages ? { pages } : {}) };
    const out = attentionDecode(q, k, v, options);
    const { output, log } = await decodeDistance(given, of, out, logSumExp);
    expect(output).toBeLessThan(dtype === "f16" ? 2e-3 : 1.2e-2);
    expect(log).toBeLessThan(1e-3);
    const first = await out.read();
    for (let i = 0; i < 20; i++) expect(await attentionDecode(q, k, v, options).read()).toEqual(first);
  });
});
