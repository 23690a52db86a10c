// Kernels that end, most of which wait much: a report of a hang must not come of them.
import type { Device, LaunchConfig } from "warpsmith";
import { attention, layerNorm, matmul, sort } from "warpsmith/kernels";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import type { Chapter } from "../../examples/chapter.ts";
import { ladder } from "../../examples/gemm/ladder.ts";
import type { Case } from "../cases/case.ts";
import { clusterCases } from "../cases/cluster.ts";
import { cooperativeCases } from "../cases/cooperative.ts";
import { launchCases } from "../cases/launches.ts";
import { pipelineCases } from "../cases/pipeline.ts";
import { slowCases } from "./slow.ts";

export interface Healthy {
  readonly name: string;
  /** Throws where something is reported, and where a result is wrong. What launches without `config` goes by the environment. */
  run(gpu: Device, config: LaunchConfig): Promise<unknown>;
}

const chapter = (number: number): Healthy => ({
  name: `ch${number}`,
  run: async (gpu) => ((await import(`../../examples/ch${number}/main.ts`)) as { chapter: Chapter }).chapter.run(gpu, 0),
});

/** Few blocks, so that each has more than one tile, and more iterations along K than there are stages. */
function step(name: string): Healthy {
  const found = ladder.find((one) => one.name === name);
  if (!found) throw new Error(`the ladder has no step ${name}`);
  const [M, N, K] = [256, 512, 448];
  return {
    name: `gemm/${name}`,
    async run(gpu, config) {
      const [a, b] = [randn(M * K, 1), randn(N * K, 2)];
      using aDev = gpu.tensor("f16", [M, K], a);
      using bDev = gpu.tensor("f16", [N, K], b);
      using d = gpu.empty("f16", [M, N]);
      d.fill(Number.NaN);
      found.make(M, N, K, 2).launch(aDev, bDev, d, config);
      const bT = Float32Array.from({ length: K * N }, (_, i) => b[(i % N) * K + Math.floor(i / N)] ?? 0);
      assertClose(await d.read(), referenceMatmul(a, bT, { M, N, K }), { rtol: 5e-3, atol: 5e-2 });
    },
  };
}

/** Of M x K and K x N, checked against the host. */
const product: Healthy = {
  name: "matmul",
  async run(gpu) {
    const [M, N, K] = [200, 264, 384];
    const [a, b] = [randn(M * K, 1), randn(K * N, 2)];
    using aDev = gpu.tensor("f16", [M, K], a);
    using bDev = gpu.tensor("f16", [K, N], b);
    using d = matmul(aDev, bDev);
    assertClose(await d.read(), referenceMatmul(a, b, { M, N, K }), { rtol: 5e-3, atol: 5e-2 });
  },
};

/** Of values that are all 1, so that the result is 1, whatever is attended to. */
const attended: Healthy = {
  name: "attention",
  async run(gpu) {
    const shape = [1, 2, 192, 64] as const;
    using q = gpu.tensor("f16", shape, randn(2 * 192 * 64, 3));
    using k = gpu.tensor("f16", shape, randn(2 * 192 * 64, 4));
    using v = gpu.tensor("f16", shape, new Float32Array(2 * 192 * 64).fill(1));
    using out = attention(q, k, v, { causal: true });
    assertClose(await out.read(), new Float32Array(2 * 192 * 64).fill(1), { rtol: 0, atol: 2e-3 });
  },
};

const normalised: Healthy = {
  name: "layerNorm",
  async run(gpu) {
    const [rows, columns] = [16, 3000];
    using x = gpu.tensor("f32", [rows, columns], randn(rows * columns, 5));
    using weight = gpu.tensor("f32", [columns], new Float32Array(columns).fill(1));
    using out = layerNorm(x, weight);
    const found = await out.read();
    for (let r = 0; r < rows; r++) {
      const sum = found.slice(r * columns, (r + 1) * columns).reduce((total, value) => total + value, 0);
      if (!(Math.abs(sum) < 0.05)) throw new Error(`row ${r} sums up to ${sum} instead of 0`);
    }
  },
};

const sorted: Healthy = {
  name: "sort",
  async run(gpu) {
    const keys = Int32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 1_000_003) >> 8);
    using x = gpu.tensor("i32", [keys.length], keys);
    const { keys: out } = sort(x);
    const found = await out.read();
    out.dispose();
    const wanted = keys.toSorted();
    if (found.some((key, i) => key !== wanted[i])) throw new Error("the keys are not in order");
  },
};

/** One of some cases, by its name or the beginning of it. */
function caseOf(cases: readonly Case[], name: string): Case {
  const found = cases.find((one) => one.name.startsWith(name));
  if (!found) throw new Error(`there is no case ${name}`);
  return found;
}

/** `steps`: how long those wait that wait for what is slow on purpose. */
export const healthy = (steps: number): readonly Healthy[] => [
  ...[0, 1, 2, 3, 4, 5].map(chapter),
  ...["05-persistent", "11-cluster", "12-ping-pong", "14-left-first"].map(step),
  product,
  attended,
  normalised,
  sorted,
  caseOf(clusterCases, "cluster/pair"),
  caseOf(clusterCases, "cluster/remoteArrive"),
  caseOf(pipelineCases, "pipeline/peers"),
  caseOf(pipelineCases, "pipeline/turns"),
  caseOf(cooperativeCases, "cooperative/rounds-5"),
  caseOf(cooperativeCases, "cooperative/chain"),
  caseOf(launchCases, "launch/overlapped"),
  ...slowCases(steps),
];
