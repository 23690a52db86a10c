// What `watch` costs a product of matrices on a GPU: one plan, launches with and without it in turns.
//
//   node --import warpsmith/register test/tools/watch-cost.ts [--n 4096] [--rounds 8]
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { matmulKernel } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";

const { values } = parseArgs({ options: { n: { type: "string", default: "4096" }, rounds: { type: "string", default: "8" } } });
const n = Number(values.n);
await using gpu = await openDevice("cuda");
const matrix = (seed: number) => gpu.tensor("f16", [n, n], randn(n * n, seed));
const { kernel, args } = matmulKernel(matrix(1), matrix(2));
const times: Record<"with" | "without", number[]> = { with: [], without: [] };
for (let round = 0; round < Number(values.rounds); round++) {
  times.without.push((await kernel.bench({ watch: false, repeat: 30 }, ...args)).median);
  times.with.push((await kernel.bench({ watch: true, repeat: 30 }, ...args)).median);
}
const middle = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
const [without, withIt] = [middle(times.without), middle(times.with)];
console.log(`matmul ${n}^3: ${without.toFixed(2)} us without, ${withIt.toFixed(2)} us with: x ${(withIt / without).toFixed(4)}`);
