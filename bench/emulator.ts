// What the emulator costs: the tutorial as a whole process, and chapter 4's kernel, without checks and under both modes; and what worker
// threads bring for a product of 2048 x 2048 x 2048 by the same kernel.
//
//   npm run bench:emulator
//
// Writes bench/results/<cpu name>/emulator.json. Every timed run checks its result.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { openDevice, TMA } from "warpsmith";
import { randn } from "warpsmith/testing";
import { gemmMultistage } from "../examples/ch4/kernel.ts";
import { chapter as chapter4 } from "../examples/ch4/main.ts";
import { methods } from "./methods.ts";
import { type Entry, type Figures, writeRecord } from "./record.ts";
import { cpuHead } from "./record-head.ts";
import { resultsFolder } from "./results.ts";

const modes = ["off", "normal", "strict"] as const;
type Mode = (typeof modes)[number];

const round = (ms: number): number => Number((ms / 1000).toPrecision(3));
const median = (samples: readonly number[]): number => samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;

/** Seconds of a whole process; throws where it does not pass. */
function tutorialSeconds(mode: Mode): number {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "warpsmith/register", "examples/tutorial.ts", "--device", "emulator"],
    { env: { ...process.env, WARPSMITH_CHECK: mode }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the tutorial failed under ${mode}: ${stdout}${stderr}`);
  return round(performance.now() - begin);
}

/** Seconds from the launch of chapter 4 to its checked result, warm. */
async function chapter4Seconds(mode: Mode, runs: number): Promise<{ first: number; median: number }> {
  await using device = await openDevice("emulator", { check: mode });
  const samples: number[] = [];
  for (let seed = 0; seed < runs; seed++) {
    const begin = performance.now();
    await chapter4.run(device, seed);
    samples.push(round(performance.now() - begin));
  }
  return { first: samples[0] ?? Number.NaN, median: median(samples) };
}

const size = 2048;
/** Small whole numbers: every sum is exact. */
const whole = (seed: number): readonly number[] => [...randn(size * size, seed)].map((x) => Math.round(2 * x));

/** Of the elements on a diagonal. */
function checkProduct(a: readonly number[], b: readonly number[], d: ArrayLike<number>): void {
  for (let i = 0; i < size; i++) {
    const column = (i * 7) % size;
    let sum = 0;
    for (let k = 0; k < size; k++) sum += (a[i * size + k] ?? 0) * (b[k * size + column] ?? 0);
    if (d[i * size + column] !== sum) throw new Error(`element ${i}, ${column} is ${d[i * size + column]}, not ${sum}`);
  }
}

/** Seconds from the launch to the result: the first time in a device, when workers have yet to start, and later. */
async function productSeconds(threads: number, runs: number): Promise<{ first: number; median: number }> {
  await using device = await openDevice("emulator", { check: "off", threads });
  const [a, b] = [whole(1), whole(2)];
  const shape = [size, size] as const;
  using aDev = device.tensor("f16", shape, a),
    bDev = device.tensor("f16", shape, b),
    d = device.empty("f32", shape);
  const maps = [new TMA(aDev, { box: [128, 64], swizzle: "128B" }), new TMA(bDev, { box: [64, 64], swizzle: "128B" })] as const;
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) {
    d.fill(Number.NaN);
    await device.sync();
    const begin = performance.now();
    gemmMultistage.launch({}, ...maps, d, 7);
    const result = await d.read();
    samples.push(round(performance.now() - begin));
    checkProduct(a, b, result);
  }
  return { first: samples[0] ?? Number.NaN, median: median(samples.slice(1)) };
}

async function compareThreads(): Promise<Figures> {
  const threads = availableParallelism();
  const [one, all] = [await productSeconds(1, 4), await productSeconds(threads, 4)];
  const ratio = (x: number, y: number): number => Number((x / y).toPrecision(2));
  return {
    oneSeconds: one,
    allSeconds: all,
    threads,
    ratio: { first: ratio(one.first, all.first), median: ratio(one.median, all.median) },
  };
}

const entries: Entry[] = [];
const put = (group: string, name: string, figures: Figures): void => {
  entries.push({ group, case: name, of: {}, us: null, peers: {}, correct: true, figures });
  console.log(name.padEnd(8), JSON.stringify(figures));
};
for (const mode of modes) {
  const whole = [1, 2, 3].map(() => tutorialSeconds(mode));
  put("checks", mode, { tutorialSeconds: median(whole), chapter4Seconds: await chapter4Seconds(mode, 5) });
}
put("threads", `${size}³`, await compareThreads());
const head = cpuHead(methods.emulator);
writeRecord(join(resultsFolder({ name: head.card }), "emulator.json"), { ...head, entries });
