// NVDSL's matmul harness: every size of its grid, multistage and warp-specialised, every case verified on every element.
//
//   npm run harness [-- --short] [--device cuda:1]
//
// Writes bench/results/<gpu name>/harness.json, with an entry for each case.
import { parseArgs } from "node:util";
import { f16round as f16 } from "@petamoriken/float16";
import { type Device, type DeviceTensor, type Kernel, openDevice, type Static, type Tensor, TMA } from "warpsmith";
import { randn } from "warpsmith/testing";
import { gemmMultistage } from "../examples/ch4/kernel.ts";
import { gemmWarpSpecialized } from "../examples/ch5/kernel.ts";
import { methods } from "./methods.ts";
import { sizeOf } from "./problem.ts";
import { type Entry, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { compareKernel, referenceKernel } from "./reference.ts";
import { resultsFolder } from "./results.ts";
import { treeOf } from "./tree.ts";

const rtol = 5e-3,
  atol = 1e-1; // NVDSL's tolerances
const kinds = { multistage: gemmMultistage, warpSpecialized: gemmWarpSpecialized } satisfies Record<
  string,
  Kernel<[a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>, stages: Static<number>]>
>;

interface Grid {
  readonly stages: readonly number[];
  readonly sizes: readonly number[];
  readonly ks: readonly number[];
}
const grids = {
  short: { stages: [1, 3], sizes: [128, 512], ks: [64, 512] },
  long: { stages: [1, 2, 3, 4, 5, 6], sizes: [128, 512, 1024, 4096, 8192], ks: [64, 128, 512, 1024, 4096, 8192] },
} satisfies Record<string, Grid>;

interface Case {
  readonly kind: keyof typeof kinds;
  readonly stages: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Largest |D - reference|. */
  readonly maxAbs: number;
  /** Largest |D - reference| / max(|reference|, 1). */
  readonly maxRel: number;
  /** Median of five launches, L2 warm. */
  readonly us: number;
  readonly pass: boolean;
}

/** Memory that all cases take their matrices from. */
interface Pools {
  readonly a: DeviceTensor<"f16", 1>;
  readonly b: DeviceTensor<"f16", 1>;
  readonly d: DeviceTensor<"f32", 1>;
  readonly reference: DeviceTensor<"f32", 1>;
  readonly worst: DeviceTensor<"i32", 1>;
  readonly misses: DeviceTensor<"i32", 1>;
}

function makePools(gpu: Device, grid: Grid): { readonly pools: Pools; readonly a: Float32Array; readonly b: Float32Array } {
  const size = Math.max(...grid.sizes),
    depth = Math.max(...grid.ks);
  const a = randn(size * depth, 1),
    b = randn(depth * size, 2);
  const pools: Pools = {
    a: gpu.tensor("f16", [a.length], a),
    b: gpu.tensor("f16", [b.length], b),
    d: gpu.empty("f32", [size * size]),
    reference: gpu.empty("f32", [size * size]),
    worst: gpu.zeros("i32", [2]),
    misses: gpu.zeros("i32", [1]),
  };
  return { pools, a, b };
}

/** The first m × n elements of a pool as a matrix. */
function matrix<D extends "f16" | "f32">(pool: DeviceTensor<D, 1>, m: number, n: number): DeviceTensor<D, 2> {
  return pool.slice([0, m * n]).reshape(m, n);
}

/** The reference itself, against f64 on the host, on a few elements. */
async function checkReference(
  reference: DeviceTensor<"f32", 2>,
  a: Float32Array,
  b: Float32Array,
  m: number,
  n: number,
  k: number,
): Promise<void> {
  const got = await reference.read();
  for (const at of [0, Math.floor((m * n) / 3), m * n - 1]) {
    const row = Math.floor(at / n),
      col = at % n;
    let want = 0;
    for (let i = 0; i < k; i++) want += f16(a[row * k + i]) * f16(b[i * n + col]);
    const error = Math.abs(got[at] - want);
    if (!(error <= 1e-4 * k ** 0.5 + 1e-5 * Math.abs(want)))
      throw new Error(`the reference is off by ${error} at [${row}, ${col}] of ${m} x ${n} x ${k}`);
  }
}

async function runCase(pools: Pools, kind: keyof typeof kinds, stages: number, m: number, n: number, k: number): Promise<Case> {
  const a = matrix(pools.a, m, k),
    b = matrix(pools.b, k, n),
    d = matrix(pools.d, m, n);
  const args = [
    new TMA(a, { box: [128, 64], swizzle: "128B" }),
    new TMA(b, { box: [64, 64], swizzle: "128B" }),
    d,
    stages,
  ] as const;
  pools.worst.fill(0);
  pools.misses.fill(0);
  d.fill(Number.NaN);
  kinds[kind].launch({}, ...args);
  compareKernel.launch({}, pools.d.slice([0, m * n]), pools.reference.slice([0, m * n]), pools.worst, pools.misses, rtol, atol);
  const [worst, misses] = [await pools.worst.read(), await pools.misses.read()];
  const [maxAbs, maxRel] = new Float32Array(worst.buffer, worst.byteOffset, 2);
  const { median } = await kinds[kind].bench({ warmup: 1, repeat: 5, flush: false }, ...args);
  return {
    kind,
    stages,
    m,
    n,
    k,
    maxAbs,
    maxRel,
    us: Number(median.toFixed(2)),
    pass: misses[0] === 0 && Number.isFinite(maxAbs),
  };
}

async function runGrid(gpu: Device, grid: Grid): Promise<Case[]> {
  const { pools, a: aHost, b: bHost } = makePools(gpu, grid);
  const cases: Case[] = [];
  for (const k of grid.ks)
    for (const n of grid.sizes)
      for (const m of grid.sizes) {
        const reference = matrix(pools.reference, m, n);
        referenceKernel.launch({}, matrix(pools.a, m, k), matrix(pools.b, k, n), reference);
        if (m * n <= 1024 * 1024) await checkReference(reference, aHost, bHost, m, n, k);
        for (const stages of grid.stages)
          for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
            const result = await runCase(pools, kind, stages, m, n, k);
            cases.push(result);
            if (!result.pass) console.log(`FAIL ${JSON.stringify(result)}`);
          }
        console.log(
          `${m} x ${n} x ${k}: ${cases.slice(-2 * grid.stages.length).filter((c) => c.pass).length} of ${2 * grid.stages.length} pass`,
        );
      }
  return cases;
}

const { values: options } = parseArgs({ options: { short: { type: "boolean", default: false }, device: { type: "string" } } });
await using gpu = await openDevice(options.device as Parameters<typeof openDevice>[0]);
const cases = await runGrid(gpu, options.short ? grids.short : grids.long);
const folder = resultsFolder(gpu);
const head = headOf({ gpu: gpu.name, date: new Date().toISOString(), node: process.version, commit: treeOf() }, methods.harness);
const entryOf = ({ kind, stages, m, n, k, maxAbs, maxRel, us, pass }: Case): Entry => ({
  ...{ group: kind, case: `${sizeOf({ m, n, k })}, ${stages} stages`, of: { m, n, k, stages }, us, peers: {}, correct: pass },
  figures: { maxAbs, maxRel },
});
writeRecord(`${folder}/harness.json`, { ...head, entries: cases.map(entryOf) });
const passed = cases.filter((c) => c.pass).length;
console.log(`${passed} of ${cases.length} cases pass on ${gpu.name}; written to ${folder}/harness.json`);
if (passed < cases.length) process.exitCode = 1;
