import { type Device, type DeviceTensor, TMA } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { gemmWarpSpecialized } from "./ch5-warp-specialized.ts";
import { biasRelu, makeGemm } from "./gemm-fast.ts";
import { gemmSplitK } from "./gemm-split-k.ts";
import { add, addExplicit } from "./grid-stride.ts";
import type { KernelCheck } from "./kernel-check.ts";
import { makeMatmul } from "./matmul-persistent.ts";
import { BLOCK, memcpy } from "./memcpy-tma.ts";
import { tileAttention } from "./tile-attention.ts";

const exact = { rtol: 0, atol: 0 }, products = { rtol: 1e-3, atol: 1e-1 };

const copy: KernelCheck = {
  name: "memcpy-tma",
  async run(gpu) {
    const data = randn(500), box = [BLOCK] as const;
    using input = gpu.tensor("f32", [500], data), output = gpu.zeros("f32", [500]);
    memcpy.launch({}, new TMA(input, { box }), new TMA(output, { box }));
    return assertClose(await output.read(), data, exact);
  },
};

const sum = (name: string, kernel: typeof add): KernelCheck => ({
  name,
  async run(gpu) {
    const [x, y] = [randn(1000, 0), randn(1000, 1)];
    using a = gpu.tensor("f32", [1000], x), b = gpu.tensor("f32", [1000], y), c = gpu.zeros("f32", [1000]);
    kernel.launch({ grid: 2 }, a, b, c);
    return assertClose(await c.read(), x.map((v, i) => Math.fround(v + (y[i] ?? 0))), exact);
  },
});

interface Factors { readonly a: DeviceTensor<"f16", 2>; readonly b: DeviceTensor<"f16", 2>; readonly expected: Float64Array }

/** Two random matrices and their product. */
async function factors(gpu: Device, M: number, N: number, K: number): Promise<Factors> {
  const a = gpu.tensor("f16", [M, K], randn(M * K, 0)), b = gpu.tensor("f16", [K, N], randn(K * N, 1));
  return { a, b, expected: referenceMatmul(await a.read(), await b.read(), { M, N, K }) };
}
const sw = (box: readonly [number, number]) => ({ box, swizzle: "128B" }) as const;

const persistent: KernelCheck = {
  name: "matmul-persistent",
  async run(gpu) {
    const [M, N, K] = [208, 416, 304];
    const { a, b, expected } = await factors(gpu, M, N, K);
    using c = gpu.zeros("f16", [M, N]);
    const matmul = makeMatmul({ tileM: 128, tileN: 128, tileK: 64, stages: 4, group: 2 });
    matmul.launch({}, new TMA(a, sw([128, 64])), new TMA(b, sw([64, 64])), new TMA(c, sw([128, 64])), 3);
    return assertClose(await c.read(), expected, products);
  },
};

const splitK: KernelCheck = {
  name: "gemm-split-k",
  async run(gpu) {
    const [M, N, K] = [128, 256, 1024];
    const { a, b, expected } = await factors(gpu, M, N, K);
    using d = gpu.zeros("f32", [M, N]);
    gemmSplitK.launch({}, new TMA(a, sw([128, 64])), new TMA(b, sw([64, 64])), new TMA(d, { box: [128, 128] }), 2);
    return assertClose(await d.read(), expected, products);
  },
};

const specialized: KernelCheck = {
  name: "ch5-warp-specialized",
  async run(gpu) {
    const { a, b, expected } = await factors(gpu, 256, 128, 1024);
    using d = gpu.zeros("f32", [256, 128]);
    gemmWarpSpecialized.launch({ grid: [2, 1] }, new TMA(a, sw([128, 64])), new TMA(b, sw([64, 64])), d, 4);
    return assertClose(await d.read(), expected, products);
  },
};

const fast: KernelCheck = {
  name: "gemm-fast",
  async run(gpu) {
    const [M, N, K] = [512, 512, 192], biases = randn(N, 2);
    const a = gpu.tensor("f16", [M, K], randn(M * K, 0)), b = gpu.tensor("f16", [N, K], randn(N * K, 1));
    using bias = gpu.tensor("f32", [N], biases), d = gpu.zeros("f16", [M, N]);
    const maps = [new TMA(a, sw([128, 64])), new TMA(b, sw([128, 64])), new TMA(d, sw([64, 64]))] as const;
    makeGemm(M, N, K, 4).launch({}, ...maps, bias, biasRelu);
    const rows = await b.read(), columns = Float32Array.from({ length: K * N }, (_, i) => Number(rows[(i % N) * K + Math.floor(i / N)]));
    const product = referenceMatmul(await a.read(), columns, { M, N, K });
    return assertClose(await d.read(), product.map((v, i) => Math.max(v + (biases[i % N] ?? 0), 0)), products);
  },
};

const byTiles: KernelCheck = {
  name: "tile-attention",
  async run(gpu) {
    const [N, D] = [128, 64] as const;
    const q = gpu.tensor("f16", [N, D], randn(N * D, 0)), k = gpu.tensor("f16", [N, D], randn(N * D, 1)), v = gpu.tensor("f16", [N, D], randn(N * D, 2));
    using out = gpu.zeros("f32", [N, D]);
    tileAttention.launch({}, q, k, v, out);
    const turned = await k.transpose().read();
    const scores = referenceMatmul(await q.read(), turned, { M: N, N, K: D }).map((s) => Math.exp(s / Math.sqrt(D)));
    const rows = Array.from({ length: N }, (_, i) => scores.subarray(i * N, (i + 1) * N));
    const weights = rows.flatMap((row) => { const sum = row.reduce((a, b) => a + b, 0); return [...row].map((w) => w / sum); });
    return assertClose(await out.read(), referenceMatmul(weights, await v.read(), { M: N, N: D, K: N }), { rtol: 1e-2, atol: 1e-3 });
  },
};

export const checks: readonly KernelCheck[] = [
  copy, sum("grid-stride", add), sum("grid-stride explicit", addExplicit), persistent, splitK, specialized, byTiles, fast,
];
