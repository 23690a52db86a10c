// What the host pays: tracing and lowering chapter 4 and the product of warpsmith/kernels, a launch, and the way from the start of a
// process to a checked result.
//
//   npm run bench:host
//
// Writes bench/results/<gpu name>/host.json. Without a GPU only the first two are taken, and printed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Device, kernel, openDevice, type Tensor, TMA, tensorSpec, WarpsmithError } from "warpsmith";
import { matmul } from "warpsmith/kernels";
import { gemmMultistage } from "../examples/ch4/kernel.ts";
import { bareLaunch } from "./bare-launch.ts";
import { methods } from "./methods.ts";
import { type ByName, type Entry, type Figures, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { resultsFolder } from "./results.ts";
import { treeOf } from "./tree.ts";

interface Figure extends Figures {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly runs: number;
}

function figure(samples: readonly number[]): Figure {
  const sorted = samples.toSorted((a, b) => a - b);
  const round = (x: number) => Number(x.toPrecision(4));
  return {
    median: round(sorted[sorted.length >> 1]),
    min: round(sorted[0]),
    max: round(sorted.at(-1) ?? Number.NaN),
    runs: sorted.length,
  };
}

/** Milliseconds to trace and lower chapter 4's kernel. Each time another M, so that nothing comes from a cache; M changes no work. */
function compileTimes(count: number): { readonly first: number; readonly warm: Figure } {
  const K = 1024,
    N = 256;
  const once = (m: number): number => {
    const a = new TMA(tensorSpec("f16", [m, K]), { box: [128, 64], swizzle: "128B" }),
      b = new TMA(tensorSpec("f16", [K, N]), { box: [64, 64], swizzle: "128B" });
    const begin = performance.now();
    gemmMultistage.compile(a, b, tensorSpec("f32", [m, N]), 7);
    return performance.now() - begin;
  };
  const first = once(128);
  const rest = Array.from({ length: count }, (_, i) => once(128 * (i + 2)));
  return { first: Number(first.toPrecision(4)), warm: figure(rest.slice(count >> 1)) };
}

const BATCH = 200;

/** Microseconds of host time per call, in batches with the device idle before each. */
async function perCall(gpu: Device, call: () => void, batches: number): Promise<Figure> {
  const samples: number[] = [];
  for (let i = 0; i < batches + 5; i++) {
    await gpu.sync();
    const begin = performance.now();
    for (let j = 0; j < BATCH; j++) call();
    const each = ((performance.now() - begin) * 1000) / BATCH;
    if (i >= 5) samples.push(each);
  }
  await gpu.sync();
  return figure(samples);
}

const touch = kernel({ block: 32, grid: 1 }, function touch(x: Tensor<"f32", 1>) {
  x[0] = 1;
});

async function launchCosts(gpu: Device) {
  using x = gpu.zeros("f32", [32]);
  using a = gpu.zeros("f16", [512, 1024]),
    b = gpu.zeros("f16", [1024, 256]),
    d = gpu.empty("f32", [512, 256]);
  const aMap = new TMA(a, { box: [128, 64], swizzle: "128B" }),
    bMap = new TMA(b, { box: [64, 64], swizzle: "128B" });
  const bare = bareLaunch();
  const launchUs: Record<string, Figure> = {};
  for (const [name, call] of Object.entries({
    bareCuLaunchKernel: bare.launch,
    oneTensor: () => touch.launch({}, x),
    bareCuLaunchKernelEx: bare.launchEx,
    chapter4: () => gemmMultistage.launch({}, aMap, bMap, d, 7),
    matmul: product(gpu),
  }))
    launchUs[name] = await perCall(gpu, call, 30);
  return launchUs;
}

/** The product of warpsmith/kernels, small enough that the device keeps up with the host. */
function product(gpu: Device): () => void {
  const [x, w, out] = [1, 2, 3].map(() => gpu.zeros("f16", [256, 256]));
  const transposed = w.transpose(1, 0);
  return () => void matmul(x, transposed, { out });
}

const cache = mkdtempSync(join(tmpdir(), "warpsmith-bench-"));

/** Figures of a fresh process of compile-once.ts, several times. The driver keeps in the same folder what it has assembled. */
function fresh(runs: number, what: string, size: number, before: () => void): Readonly<Record<string, Figure>> {
  const script = join(import.meta.dirname, "compile-once.ts");
  const all = Array.from({ length: runs }, () => {
    before();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", "warpsmith/register", script, what, String(size)],
      {
        env: { ...process.env, WARPSMITH_CACHE: cache, CUDA_CACHE_PATH: join(cache, "driver") },
        encoding: "utf8",
      },
    );
    if (status !== 0) throw new Error(`${what} failed: ${stderr}`);
    return JSON.parse(stdout) as Record<string, number>;
  });
  return Object.fromEntries(Object.keys(all[0]).map((key) => [key, figure(all.map((each) => each[key]))]));
}
const emptyCache = () => rmSync(cache, { recursive: true, force: true });

/** Milliseconds from the start of a process to chapter 4's checked result. Cold: empty caches of transformed files and of kernels. */
function startTimes(runs: number) {
  const chapter = join(import.meta.dirname, "../examples/ch4/main.ts");
  const once = (): number => {
    const begin = performance.now();
    const { status, stderr } = spawnSync(process.execPath, ["--import", "warpsmith/register", chapter], {
      env: { ...process.env, WARPSMITH_CACHE: cache, CUDA_CACHE_PATH: join(cache, "driver") },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`chapter 4 failed: ${stderr}`);
    return performance.now() - begin;
  };
  const cold = Array.from({ length: runs }, () => {
    emptyCache();
    return once();
  });
  const warm = Array.from({ length: runs }, once);
  return { coldMs: figure(cold), warmMs: figure(warm) };
}

/** An entry for each of some things whose figures are in milliseconds. */
const inMilliseconds = (group: string, cases: ByName<Figures>): readonly Entry[] =>
  Object.entries(cases).map(([name, figures]) => ({ group, case: name, of: {}, us: null, peers: {}, correct: null, figures }));
const launches = (cases: ByName<Figure>): readonly Entry[] =>
  Object.entries(cases).map(([name, { median: us, ...figures }]) => ({
    ...{ group: "launch", case: name, of: {}, us, peers: {}, correct: null, figures },
  }));

const compileMs = compileTimes(40);
console.log("trace and lower chapter 4, ms:", compileMs);
/** The ladder's fastest steps, each at the size that it is for. */
const topMs = Object.fromEntries(
  (
    [
      ["14-left-first", 4096],
      ["13-split-tail", 8192],
    ] as const
  ).map(([step, size]) => [step, fresh(5, step, size, () => {})]),
);
console.log("steps of the ladder in a fresh process, ms:");
console.dir(topMs, { depth: 5 });
try {
  await using gpu = await openDevice();
  const launchUs = await launchCosts(gpu);
  const startToResult = startTimes(5);
  const firstProductMs = { cold: fresh(5, "product", 4096, emptyCache), warm: fresh(5, "product", 4096, () => {}) };
  console.dir({ compileMs, topMs, launchUs, startToResult, firstProductMs }, { depth: 5 });
  const head = headOf({ gpu: gpu.name, date: new Date().toISOString(), node: process.version, commit: treeOf() }, methods.host);
  const entries = [
    ...inMilliseconds("trace and lower", { "chapter 4": { firstMs: compileMs.first, warmMs: compileMs.warm } }),
    ...inMilliseconds("top", topMs),
    ...launches(launchUs),
    ...inMilliseconds("start to result", { "chapter 4": startToResult }),
    ...inMilliseconds("first product", firstProductMs),
  ];
  writeRecord(join(resultsFolder(gpu), "host.json"), { ...head, entries });
} catch (error) {
  if (!(error instanceof WarpsmithError)) throw error;
  console.log(`\nNothing else was measured: ${error.message}`);
} finally {
  emptyCache();
}
