// What the checks of the emulator cost: a naive matrix product, whose every multiplication is two loads of a thread, and chapter 4's, which
// works in copies and wgmma. CPU time of this process on one thread, the modes by turns, so that other work on the machine matters little.
//
//   npm run bench:checks
//
// Writes bench/results/<cpu name>/check-cost.json. Every timed run checks its result.
import { join } from "node:path";
import { blockIdx, type Device, type EmulatorSettings, kernel, openDevice, range, type Tensor, threadIdx } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { chapter as chapter4 } from "../examples/ch4/main.ts";
import { methods } from "./methods.ts";
import { type Entry, writeRecord } from "./record.ts";
import { cpuHead } from "./record-head.ts";
import { resultsFolder } from "./results.ts";

/** `silent`: `normal` without warnings. */
const modes = {
  off: { check: "off" },
  silent: { check: "normal", warnings: false },
  normal: { check: "normal" },
  strict: { check: "strict" },
} as const satisfies Record<string, EmulatorSettings>;
type Mode = keyof typeof modes;
const names = Object.keys(modes) as Mode[];
const ofEach = <T>(make: (mode: Mode) => T): Record<Mode, T> =>
  Object.fromEntries(names.map((mode) => [mode, make(mode)])) as Record<Mode, T>;

const size = 64;
const block = 16;

const naive = kernel(
  { block: [block, block], grid: [size / block, size / block] },
  function naive(a: Tensor<"f32", 2>, b: Tensor<"f32", 2>, d: Tensor<"f32", 2>) {
    const row = blockIdx.y * block + threadIdx.y;
    const col = blockIdx.x * block + threadIdx.x;
    let sum = 0;
    for (const k of range(size)) sum += a[row][k] * b[k][col];
    d[row][col] = sum;
  },
);

async function runNaive(device: Device): Promise<void> {
  const shape = [size, size] as const;
  const [a, b] = [randn(size * size, 1), randn(size * size, 2)];
  using aDev = device.tensor("f32", shape, a),
    bDev = device.tensor("f32", shape, b),
    d = device.zeros("f32", shape);
  naive.launch({}, aDev, bDev, d);
  const expected = Array.from({ length: size * size }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += (a[Math.floor(i / size) * size + k] ?? 0) * (b[k * size + (i % size)] ?? 0);
    return sum;
  });
  assertClose(await d.read(), expected, { rtol: 1e-4, atol: 1e-3 });
}

const cases = {
  [`naive matmul, ${size}³, f32`]: runNaive,
  "chapter 4": (device: Device) => chapter4.run(device, 0),
};

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const median = (samples: readonly number[]): number => samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
const round = (x: number): number => Number(x.toPrecision(3));

const warmups = 2;
const runs = 7;
const entries: Entry[] = [];
for (const [name, run] of Object.entries(cases)) {
  const devices = new Map<Mode, Device>();
  for (const mode of names) devices.set(mode, await openDevice("emulator", { ...modes[mode], threads: 1 }));
  const samples = ofEach((): number[] => []);
  for (let iteration = -warmups; iteration < runs; iteration++) {
    for (const [mode, device] of devices) {
      const begin = cpuSeconds();
      await run(device);
      if (iteration >= 0) samples[mode].push(cpuSeconds() - begin);
    }
  }
  for (const device of devices.values()) await device.dispose();
  const seconds = ofEach((mode) => median(samples[mode]));
  const figures = {
    cpuSeconds: ofEach((mode) => round(seconds[mode])),
    ratio: ofEach((mode) => round(seconds[mode] / seconds.off)),
  };
  entries.push({ group: "checks", case: name, of: {}, us: null, peers: {}, correct: true, figures });
  console.log(name.padEnd(26), JSON.stringify(figures));
}
const head = cpuHead(methods.checks, { runs });
writeRecord(join(resultsFolder({ name: head.card }), "check-cost.json"), { ...head, entries });
