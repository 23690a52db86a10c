// The products by mma.sync that bench/mma-sync.ts times, at a few tiles.
import { type MmaPlan, mmaGemm, mmaPlanName } from "../../bench/mma-sync-kernel.ts";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

type Shape = readonly [m: number, n: number, k: number];

const base: MmaPlan = {
  tile: [128, 128, 32],
  warps: [2, 2],
  stages: 3,
  sum: "f32",
  group: 8,
  ahead: true,
  spread: false,
  staged: false,
};

function gemmCase(given: Partial<MmaPlan>, out: "f16" | "f32", [M, N, K]: Shape): Case {
  const plan = { ...base, ...given };
  return defineCase(`mma-gemm/${mmaPlanName(plan)} ${out} ${M}x${N}x${K}`.replaceAll(" ", "-"), mmaGemm, () => {
    const [a, b] = [integers(M * K, -2, 2, 1), integers(K * N, -2, 2, 2)];
    const wanted = new Array<number>(M * N).fill(0);
    for (let i = 0; i < M; i++)
      for (let k = 0; k < K; k++)
        for (let j = 0; j < N; j++) wanted[i * N + j] = (wanted[i * N + j] ?? 0) + (a[i * K + k] ?? 0) * (b[k * N + j] ?? 0);
    return { args: [input("f16", [M, K], a), input("f16", [K, N], b), output(out, [M, N], wanted), plan] };
  });
}

export const mmaGemmCases: readonly Case[] = [
  gemmCase({}, "f32", [256, 256, 192]),
  gemmCase({ stages: 4, ahead: false, staged: true }, "f16", [128, 256, 128]),
  gemmCase({ tile: [128, 128, 64], spread: true }, "f32", [128, 128, 256]),
  gemmCase({ tile: [256, 128, 64], warps: [4, 2], spread: true, staged: true }, "f16", [256, 128, 192]),
  gemmCase({ tile: [128, 256, 32], warps: [2, 4], group: 2 }, "f32", [256, 256, 96]),
  gemmCase({ tile: [128, 128, 32], warps: [2, 4] }, "f32", [128, 128, 96]),
  gemmCase({ tile: [256, 128, 32], warps: [2, 2], sum: "f16", staged: true }, "f16", [256, 256, 96]),
  gemmCase({ tile: [256, 256, 32], warps: [2, 4], sum: "f16", staged: true }, "f16", [256, 256, 96]),
];
