// Climbs the ladder on the device that is there: checks every step, and times it where that is a GPU.
//
//   npx warpsmith run examples/gemm/main.ts [11 12-ping-pong …] [--size 8192]
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import { ladder, type Step } from "./ladder.ts";

/** A product for the checks: few blocks, so that each has more than one tile, and more iterations along K than there are stages. */
const M = 512, N = 512, K = 448, BLOCKS = 4;
const a = randn(M * K, 1), b = randn(N * K, 2);
const bT = b.map((_, i) => b[(i % N) * K + Math.floor(i / N)]);        // as [K, N], for the reference
const product = referenceMatmul(a, bT, { M, N, K });

/** Every element of the product; gives the largest error. */
async function check(gpu: Device, step: Step): Promise<number> {
  using aDev = gpu.tensor("f16", [M, K], a), bDev = gpu.tensor("f16", [N, K], b), d = gpu.empty("f16", [M, N]);
  d.fill(Number.NaN);
  step.make(M, N, K, BLOCKS).launch(aDev, bDev, d);
  return assertClose(await d.read(), product, { rtol: 5e-3, atol: 5e-2 }).maxAbs;
}

async function checkAll(gpu: Device, steps: readonly Step[]): Promise<void> {
  for (const step of steps)
    console.log(`${step.name.padEnd(20)}PASS, worst error ${(await check(gpu, step)).toExponential(1)}   ${step.idea}`);
}

async function timeAll(gpu: Device, steps: readonly Step[], size: number): Promise<void> {
  const numbers = (seed: number) => randn(size * size, seed);            // zeros would run faster
  using a = gpu.tensor("f16", [size, size], numbers(3)), b = gpu.tensor("f16", [size, size], numbers(4));
  using d = gpu.empty("f16", [size, size]);
  const times = new Map<string, number>();
  for (const [i, step] of steps.entries()) {
    const us = (await step.make(size, size, size, gpu.multiprocessors).bench(a, b, d)).median;
    const before = times.get(step.from ?? steps[i - 1]?.name ?? "");
    const tflops = (2 * size ** 3) / us / 1e6, gain = before === undefined ? "" : `x ${(before / us).toFixed(3)}`;
    console.log(`${step.name.padEnd(20)}${us.toFixed(1).padStart(9)} µs${tflops.toFixed(0).padStart(5)} TFLOP/s  ${gain}`);
    times.set(step.name, us);
  }
}

/** Those whose names begin with one of the words; without words all. */
function chosen(words: readonly string[]): readonly Step[] {
  const unknown = words.find((word) => !ladder.some(({ name }) => name.startsWith(word)));
  if (unknown !== undefined) throw new Error(`there is no step ${unknown}: there are ${ladder.map(({ name }) => name).join(", ")}`);
  return words.length === 0 ? ladder : ladder.filter(({ name }) => words.some((word) => name.startsWith(word)));
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { size: { type: "string", default: "4096" } } });
const steps = chosen(positionals), size = Number(values.size);
if (!(size > 0 && size % 256 === 0)) throw new Error(`--size takes a multiple of 256, not ${values.size}`);
await using gpu = await openDevice();
console.log(gpu.name);
await checkAll(gpu, steps);
if (gpu.kind === "cuda") {
  console.log(`\n${size}³, and how many times as fast as the step before, or the one that it is made from`);
  await timeAll(gpu, steps, size);
}
