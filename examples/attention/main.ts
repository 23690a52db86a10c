// Climbs the ladder on the device that is there: checks every step, and times it where that is a GPU.
//
//   npx warpsmith run examples/attention/main.ts [06 07-lazy-scale …] [--heads 16] [--length 16384]
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { ladder, type Step } from "./ladder.ts";

const D = 128;

/** Attention for the checks: more blocks of keys than there are stages, and the last one of step 8 not full. */
const HEADS = 2, LENGTH = 512;
const [q, k, v] = [1, 2, 3].map((seed) => randn(HEADS * LENGTH * D, seed)) as [Float32Array, Float32Array, Float32Array];

/** softmax(q kᵀ / √D) v of one query, in f64. */
function rowOf(head: number, query: number): number[] {
  const at = (x: Float32Array, row: number, i: number) => x[(head * LENGTH + row) * D + i] ?? Number.NaN;
  const scores = Array.from({ length: LENGTH }, (_, key) => {
    let sum = 0;
    for (let i = 0; i < D; i++) sum += at(q, query, i) * at(k, key, i);
    return sum / Math.sqrt(D);
  });
  const most = Math.max(...scores), weights = scores.map((s) => Math.exp(s - most));
  const total = weights.reduce((a, b) => a + b, 0);
  return Array.from({ length: D }, (_, i) => weights.reduce((sum, w, key) => sum + w * at(v, key, i), 0) / total);
}
const expected = Array.from({ length: HEADS * LENGTH }, (_, i) => rowOf(Math.floor(i / LENGTH), i % LENGTH)).flat();

/** Every element; gives the largest error. */
async function check(gpu: Device, step: Step): Promise<number> {
  const shape = [HEADS, LENGTH, D] as const;
  using qDev = gpu.tensor("f16", shape, q), kDev = gpu.tensor("f16", shape, k), vDev = gpu.tensor("f16", shape, v), o = gpu.empty("f16", shape);
  o.fill(Number.NaN);
  step.launch(qDev, kDev, vDev, o);
  return assertClose(await o.read(), expected, { rtol: 5e-3, atol: 2e-3 }).maxAbs;
}

async function timeAll(gpu: Device, steps: readonly Step[], heads: number, length: number): Promise<void> {
  const shape = [heads, length, D] as const, count = heads * length * D;
  using q = gpu.tensor("f16", shape, randn(count, 4)), k = gpu.tensor("f16", shape, randn(count, 5));
  using v = gpu.tensor("f16", shape, randn(count, 6)), o = gpu.empty("f16", shape);
  let before: number | undefined;
  for (const step of steps) {
    const us = (await step.bench(q, k, v, o)).median;
    const tflops = (4 * heads * length ** 2 * D) / us / 1e6, gain = before === undefined ? "" : `x ${(before / us).toFixed(3)}`;
    console.log(`${step.name.padEnd(20)}${us.toFixed(1).padStart(9)} µs${tflops.toFixed(0).padStart(5)} TFLOP/s  ${gain}`);
    before = us;
  }
}

/** Those whose names begin with one of the words; without words all. */
function chosen(words: readonly string[]): readonly Step[] {
  const unknown = words.find((word) => !ladder.some(({ name }) => name.startsWith(word)));
  if (unknown !== undefined) throw new Error(`there is no step ${unknown}: there are ${ladder.map(({ name }) => name).join(", ")}`);
  return words.length === 0 ? ladder : ladder.filter(({ name }) => words.some((word) => name.startsWith(word)));
}

const options = { heads: { type: "string", default: "16" }, length: { type: "string", default: "16384" } } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const steps = chosen(positionals), [heads, length] = [Number(values.heads), Number(values.length)];
if (!(length > 0 && length % 128 === 0)) throw new Error(`--length takes a multiple of 128, not ${values.length}`);
await using gpu = await openDevice();
console.log(gpu.name);
for (const step of steps)
  console.log(`${step.name.padEnd(20)}PASS, worst error ${(await check(gpu, step)).toExponential(1)}   ${step.idea}`);
if (gpu.kind === "cuda") {
  console.log(`\n${heads} heads of ${length} queries and keys, and how many times as fast as the step before`);
  await timeAll(gpu, steps, heads, length);
}
