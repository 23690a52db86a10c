// What kernels of loads, stores and arithmetic, and products by mma.sync, cost on the emulator: without checks, and under `normal`. The
// kernels are ptx/simt.cu as nvcc compiles it; chapter 4, whose work is copies and wgmma, is beside them.
//
//   npm run bench:simt [-- words of names]
//
// CPU time of this process on one emulator thread; the modes by turns, the least of several runs. Every timed run checks its result. A run of all
// writes bench/results/<cpu name>/simt.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Device, openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import { chapter as chapter4 } from "../examples/ch4/main.ts";
import type * as LaunchPtx from "../src/tools/launch-ptx/index.ts";
import { methods } from "./methods.ts";
import { type Entry, type Figures, writeRecord } from "./record.ts";
import { cpuHead } from "./record-head.ts";
import { resultsFolder } from "./results.ts";

const { launchPtx, parseArguments } = (await import(
  new URL("../dist/entries/inside.js", import.meta.url).href
)) as typeof LaunchPtx;

const module = loadPtx(readFileSync(join(import.meta.dirname, "ptx/simt.ptx"), "utf8"));

type Three = readonly [number, number, number];
type Values = ArrayLike<number | bigint>;

interface Case {
  readonly name: string;
  /** Multiplications with an addition, where their rate is of interest. */
  readonly macs?: number;
  run(device: Device): Promise<unknown>;
}

/** Launches an entry; gives its one result. `files`: what its buffers hold. */
async function launch(
  device: Device,
  entry: string,
  shape: { readonly grid: Three; readonly block: Three },
  args: readonly string[],
  files: Readonly<Record<string, Uint8Array>> = {},
): Promise<Values> {
  const all = { entry, ...shape, cluster: [1, 1, 1] as const, sharedBytes: 0, ...parseArguments([], args) };
  const [result] = await launchPtx(device, module, all, (path) => files[path] ?? new Uint8Array());
  if (!result) throw new Error(`${entry} has no result`);
  return result.values;
}

function expect(name: string, values: Values, expected: (i: number) => number, tolerance = 0): void {
  for (let i = 0; i < values.length; i++) {
    const wanted = expected(i);
    if (Math.abs(Number(values[i]) - wanted) <= tolerance) continue;
    throw new Error(`${name}: element ${i} is ${values[i]}, not ${wanted}`);
  }
}

const bytesOf = (a: ArrayBufferView): Uint8Array => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
/** Small whole numbers, so that every sum is exact. */
const whole = (count: number, of: (i: number) => number): Float32Array => Float32Array.from({ length: count }, (_, i) => of(i));

/** Rows of A and columns of B in f64. `b(k, j)` gives an element's index. */
function productOf(n: number, a: Float32Array, b: Float32Array, at: (k: number, j: number) => number): Float64Array {
  const sums = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) sums[i * n + j] += a[i * n + k] * b[at(k, j)];
  return sums;
}

function product(entry: string, n: number): Case {
  const a = whole(n * n, (i) => (i * 7) % 5);
  const b = whole(n * n, (i) => ((i * 11) % 7) - 3);
  const sums = productOf(n, a, b, (k, j) => k * n + j);
  const args = [`a=f32[${n}x${n}]:file=a`, `b=f32[${n}x${n}]:file=b`, `c=f32[${n}x${n}]:zeros:out`, `i32:${n}`];
  return {
    name: `${entry} ${n}`,
    macs: n ** 3,
    async run(device) {
      const shape = { grid: [n / 16, n / 16, 1], block: [16, 16, 1] } as const;
      const values = await launch(device, entry, shape, args, { a: bytesOf(a), b: bytesOf(b) });
      expect(entry, values, (i) => sums[i]);
    },
  };
}

/** The bits of 0, 1, 2 and 3 in f16. */
const halves = [0, 0x3c00, 0x4000, 0x4200] as const;

/** A B^T in f16. */
function mmaProduct(n: number): Case {
  const a = whole(n * n, (i) => (i * 7) % 4);
  const b = whole(n * n, (i) => (i * 5 + (i >> 8)) % 4);
  const sums = productOf(n, a, b, (k, j) => j * n + k);
  const bits = (x: Float32Array) => bytesOf(Uint16Array.from(x, (value) => halves[value]));
  const files = { a: bits(a), b: bits(b) };
  const args = [`a=f16[${n}x${n}]:file=a`, `b=f16[${n}x${n}]:file=b`, `c=f32[${n}x${n}]:zeros:out`, `i32:${n}`];
  return {
    name: `matmulMma ${n}`,
    macs: n ** 3,
    async run(device) {
      const values = await launch(device, "matmulMma", { grid: [n / 64, n / 64, 1], block: [128, 1, 1] }, args, files);
      expect("matmulMma", values, (i) => sums[i]);
    },
  };
}

/** One instruction `times` times by a warp. */
function mma(entry: string, depth: number, times: number): Case {
  const args = ["c=f32[128]:zeros:out", `i32:${times}`];
  return {
    name: entry,
    macs: 16 * 8 * depth * times,
    async run(device) {
      expect(entry, await launch(device, entry, { grid: [1, 1, 1], block: [32, 1, 1] }, args), () => depth * times);
    },
  };
}

const reach = 4;

function stencil(nx: number, ny: number, nz: number): Case {
  const [wx, wy, wz] = [nx + 2 * reach, ny + 2 * reach, nz + 2 * reach];
  const input = whole(wx * wy * wz, (i) => (i * 13) % 32);
  const out = Float64Array.from({ length: nx * ny * nz }, (_, i) => {
    const at = ((Math.floor(i / (nx * ny)) + reach) * wy + (Math.floor(i / nx) % ny) + reach) * wx + (i % nx) + reach;
    let sum = input[at];
    for (let r = 1; r <= reach; r++)
      for (const step of [1, wx, wx * wy]) sum += (input[at + r * step] + input[at - r * step]) / (r + 1);
    return sum;
  });
  const args = [`in=f32[${input.length}]:file=in`, `out=f32[${out.length}]:zeros:out`, `i32:${nx}`, `i32:${ny}`, `i32:${nz}`];
  return {
    name: `stencil ${nx} ${ny} ${nz}`,
    async run(device) {
      const shape = { grid: [nx / 32, ny / 8, 1], block: [32, 8, 1] } as const;
      const values = await launch(device, "stencil", shape, args, { in: bytesOf(input) });
      expect("stencil", values, (i) => out[i], 1e-3);
    },
  };
}

const threads = 256;

function reads(entry: string, times: number, word: (thread: number, i: number) => number): Case {
  const args = [`out=i32[${threads}]:zeros:out`, `i32:${times}`];
  const sums = Array.from({ length: threads }, (_, thread) => {
    let sum = 0;
    for (let i = 0; i < times; i++) sum += word(thread, i);
    return sum;
  });
  return {
    name: entry,
    async run(device) {
      const values = await launch(device, entry, { grid: [1, 1, 1], block: [threads, 1, 1] }, args);
      expect(entry, values, (i) => sums[i]);
    },
  };
}

function arithmetic(times: number): Case {
  const { fround } = Math;
  const fma = (x: number, y: number, z: number): number => fround(x * y + z);
  const sums = Float64Array.from({ length: 2 * threads }, (_, i) => {
    let a = i / 1024;
    let [b, c, d] = [fround(a + 1), fround(a + 2), fround(a + 3)];
    for (let n = 0; n < times; n++) {
      a = fround(0.5 * fma(a, b, c));
      b = fround(0.25 * fma(b, c, d));
      c = fround(0.125 * fma(c, d, a));
      d = fround(0.5 * fma(d, a, b));
      [a, b] = [Math.min(a, 1), Math.min(b, 1)];
    }
    return a + b + c + d;
  });
  const input = whole(2 * threads, (i) => i / 1024);
  const args = [`x=f32[${input.length}]:file=x:out`, `i32:${times}`];
  return {
    name: "arithmetic",
    async run(device) {
      const shape = { grid: [2, 1, 1], block: [threads, 1, 1] } as const;
      expect("arithmetic", await launch(device, "arithmetic", shape, args, { x: bytesOf(input) }), (i) => sums[i], 1e-5);
    },
  };
}

const cases: readonly Case[] = [
  product("matmulNaive", 128),
  product("matmulNaive", 256),
  product("matmulTiled", 128),
  product("matmulTiled", 256),
  stencil(64, 64, 64),
  mmaProduct(256),
  mma("mmaF16", 16, 5000),
  mma("mmaBf16", 16, 5000),
  mma("mmaTf32", 8, 5000),
  mma("mmaS8", 32, 5000),
  mma("mmaF64", 16, 500),
  reads("readOwn", 2000, (thread) => thread),
  reads("readRow", 2000, (thread, i) => (thread & ~15) + (i & 15)),
  reads("readColumn", 2000, (thread, i) => 16 * (i & 15) + (thread & 15)),
  arithmetic(2000),
  { name: "chapter 4", run: (device) => chapter4.run(device, 0) },
];

const modes = ["off", "normal"] as const;
const runs = 15;
const round = (x: number): number => Number(x.toPrecision(3));

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** The least seconds of several runs. Those of a mode that take long are fewer. */
async function secondsOf({ run }: Case): Promise<{ readonly off: number; readonly normal: number }> {
  const least = { off: Number.POSITIVE_INFINITY, normal: Number.POSITIVE_INFINITY };
  await using off = await openDevice("emulator", { check: "off", threads: 1 });
  await using normal = await openDevice("emulator", { check: "normal", threads: 1 });
  const devices = { off, normal };
  for (let iteration = 0; iteration < runs; iteration++) {
    for (const mode of modes) {
      if (iteration > 0 && least[mode] > 20) continue;
      const begin = cpuSeconds();
      await run(devices[mode]);
      least[mode] = Math.min(least[mode], cpuSeconds() - begin);
    }
  }
  return least;
}

const words = process.argv.slice(2);
const chosen = words.length === 0 ? cases : cases.filter(({ name }) => words.some((word) => name.includes(word)));
const entries: Entry[] = [];
for (const one of chosen) {
  const seconds = await secondsOf(one);
  const { off, normal } = seconds;
  const rate: Figures =
    one.macs === undefined ? {} : { megaMacs: { off: round(one.macs / off / 1e6), normal: round(one.macs / normal / 1e6) } };
  const figures = { cpuSeconds: { off: round(off), normal: round(normal) }, ratio: round(normal / off), ...rate };
  entries.push({ group: "simt", case: one.name, of: {}, us: null, peers: {}, correct: true, figures });
  console.log(one.name.padEnd(20), JSON.stringify(figures));
}
if (chosen === cases) {
  const head = cpuHead(methods.simt, { runs });
  writeRecord(join(resultsFolder({ name: head.card }), "simt.json"), { ...head, entries });
}
