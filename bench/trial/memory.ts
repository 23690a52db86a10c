// node --import ./dist/register.js bench/trial/memory.ts <op> check|time
import { type DeviceTensor, fast, helper, openDevice } from "warpsmith";
import { makeMap } from "../../dist/kernels/elementwise/map-kernel.js";
import { makeTranspose } from "../../dist/kernels/elementwise/transpose-kernel.js";
import { makeCrossEntropy } from "../../dist/kernels/rows/cross-entropy-kernel.js";
import { makeNorm } from "../../dist/kernels/rows/norm-kernel.js";
import { makeArgmax, makeReduce } from "../../dist/kernels/rows/reduce-kernel.js";
import { makeSoftmax } from "../../dist/kernels/rows/softmax-kernel.js";
import { fillNormal } from "../inputs.ts";
import { flushedRounds } from "../measure.ts";
import { loadDriver } from "../native/driver.ts";
import { median } from "../stats.ts";
import { CudaTimer } from "../timer.ts";

const [op = "softmax", mode = "check"] = process.argv.slice(2);
const small = process.env.SMALL === "1";
const gpu = await openDevice(small ? "emulator" : "cuda");
const stream = gpu.stream();
type T = DeviceTensor<any, any>;
const normal = (dtype: "bf16" | "f32", shape: number[], seed: number): T => {
  const x = gpu.empty(dtype, shape as [number, number]) as T;
  if (small) x.write(Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * 1.37 + seed) * 2));
  else fillNormal(x, seed);
  return x;
};
const [R, C] = small ? [5, 8192] : [32768, 8192];
const V = small ? 16384 : 128256;
interface Variant {
  name: string;
  launch: () => void;
  bytes: number;
}
const variants: Variant[] = [];
let verify: () => Promise<string> = async () => "none";
const picks = (rows: number) => [...new Set([0, 1, rows >> 1, rows - 1])].filter((r) => r < rows);
const rowsOf = async (x: T, r: number): Promise<ArrayLike<number>> => (await x.slice([r, r + 1]).read()) as never;
const worst = (got: ArrayLike<number>, want: (i: number) => number): number => {
  let w = 0;
  for (let i = 0; i < got.length; i++) {
    const e = want(i);
    const off = Math.abs((got[i] as number) - e) / (Math.abs(e) + 1e-6);
    w = Math.max(w, Number.isNaN(off) ? 1e9 : off);
  }
  return w;
};
const rowPlans: any[] = [];
for (const [threads, limits] of [
  [64, [0, 12, 16]],
  [128, [0, 6, 8, 10]],
  [256, [0, 4, 5, 6]],
  [512, [0, 3]],
] as const)
  for (const blocksPerSM of limits)
    for (const evict of ["", "noAllocate", "first"])
      rowPlans.push({ threads, group: "block", ...(blocksPerSM ? { blocksPerSM } : {}), ...(evict ? { evict } : {}) });
const label = (plan: object) =>
  Object.entries(plan)
    .filter(([k, v]) => v !== false && !(k === "cluster" && v === 1) && k !== "group")
    .map(([k, v]) => `${k}=${v}`)
    .join(" ");

if (op === "softmax") {
  const x = normal("bf16", [R, C], 1),
    y = gpu.empty("bf16", [R, C]) as T;
  for (const plan of rowPlans)
    if (plan.evict !== "first")
      for (const online of [false, true]) {
        const k = makeSoftmax({ plan, columns: C, vector: 8 }, false, online);
        variants.push({
          name: label(plan) + (online ? " online" : ""),
          bytes: 4 * R * C,
          launch: () => k.launch({ stream }, x, y),
        });
      }
  verify = async () => {
    let w = 0;
    for (const r of picks(R)) {
      const a = await rowsOf(x, r),
        b = await rowsOf(y, r);
      const e = Array.from(a, (v) => Math.exp(v)),
        s = e.reduce((p, q) => p + q);
      w = Math.max(
        w,
        worst(b, (i) => e[i]! / s),
      );
    }
    await y.fill(Number.NaN);
    return w < 1 / 200 ? "ok" : `wrong ${w}`;
  };
}
if (op === "rms" || op === "addrms" || op === "layer") {
  const centred = op === "layer";
  const added = op === "addrms";
  const x = normal("bf16", [R, C], 1),
    w = normal("bf16", [C], 2),
    y = gpu.empty("bf16", [R, C]) as T;
  const r = added ? normal("bf16", [R, C], 3) : x,
    s = added ? (gpu.empty("bf16", [R, C]) as T) : y;
  for (const plan of rowPlans) {
    const k = makeNorm({ centred, residual: added, sum: added, bias: centred }, { plan, columns: C, vector: 8 }, false);
    variants.push({
      name: label(plan),
      bytes: (added ? 8 : 4) * R * C,
      launch: () => k.launch({ stream }, x, y, { residual: r, sum: s, weight: w, bias: w }, 1e-6),
    });
  }
  verify = async () => {
    let bad = 0;
    for (const row of picks(R)) {
      const a = await rowsOf(x, row),
        b = await rowsOf(y, row),
        q = await rowsOf(r, row),
        ww = (await w.read()) as ArrayLike<number>;
      const sum = added ? ((await rowsOf(s, row)) as ArrayLike<number>) : a;
      if (added) bad = Math.max(bad, worst(sum, (i) => a[i]! + q[i]!) > 1 / 200 ? 1 : 0);
      const m = centred ? Array.from(sum).reduce((p, v) => p + v, 0) / C : 0;
      const mean = Array.from(sum).reduce((p, v) => p + (v - m) ** 2, 0) / C;
      const off = centred ? 0 : worst(b, (i) => (sum[i]! / Math.sqrt(mean + 1e-6)) * ww[i]!);
      if (centred)
        for (let i = 0; i < C; i++) {
          const e = ((sum[i]! - m) / Math.sqrt(mean + 1e-6)) * ww[i]! + ww[i]!;
          if (!(Math.abs(b[i]! - e) < Math.abs(e) / 200 + 1e-4)) bad = 1;
        }
      bad = Math.max(bad, off > 1 / 200 ? off : 0);
    }
    y.fill(Number.NaN);
    return bad === 0 ? "ok" : `wrong ${bad}`;
  };
}
const mapPlans: any[] = [];
for (const threads of [64, 128, 256, 512, 1024])
  for (const loads of [1, 2, 4])
    for (const evict of ["", "noAllocate", "first"])
      for (const l2 of [0, 256])
        if ((threads <= 256 || loads === 1) && (op !== "add" || threads <= 256))
          mapPlans.push({ threads, loads, ...(evict ? { evict } : {}), ...(l2 ? { l2 } : {}) });
if (op === "silu" || op === "add" || op === "copy") {
  const dtype = op === "silu" ? "bf16" : "f32";
  const n = op === "silu" ? R * C : small ? 65536 : 32768 * 32768;
  const x = normal(dtype, [n], 1),
    b = op === "copy" ? x : normal(dtype, [n], 2),
    y = gpu.empty(dtype, [n]) as T;
  const fn =
    op === "silu"
      ? helper(({ x, b }: { x: number; b: number }) => x * fast.rcp(1 + fast.exp2(x * -Math.LOG2E)) * b)
      : op === "add"
        ? helper(({ x, b }: { x: number; b: number }) => x + b)
        : undefined;
  const kinds = op === "copy" ? { x: "element" } : { x: "element", b: "element" };
  for (const plan of mapPlans) {
    const k = makeMap({ plan, kinds: kinds as never, vector: op === "silu" ? 8 : 4, columns: undefined, fn: fn as never }, false);
    variants.push({
      name: label(plan),
      bytes: n * (op === "silu" ? 6 : op === "add" ? 12 : 8),
      launch: () => k.launch({ stream }, y, op === "copy" ? { x } : { x, b }),
    });
  }
  verify = async () => {
    let w = 0;
    for (const at of [0, n >> 1, n - 4096]) {
      const [p, q, z] = [
        await x.slice([at, at + 4096]).read(),
        await b.slice([at, at + 4096]).read(),
        await y.slice([at, at + 4096]).read(),
      ] as any[];
      w = Math.max(
        w,
        worst(z, (i) => (op === "copy" ? p[i] : op === "add" ? Math.fround(p[i] + q[i]) : (p[i] / (1 + Math.exp(-p[i]))) * q[i])),
      );
    }
    y.fill(Number.NaN);
    return w < 1 / 200 ? "ok" : `wrong ${w}`;
  };
}
if (op === "transpose") {
  const rows = small ? 256 : R,
    cols = small ? 512 : C;
  const x = normal("bf16", [rows, cols], 1),
    y = gpu.empty("bf16", [cols, rows]) as T;
  for (const across of [8, 16])
    for (const warps of [
      [2, 4],
      [4, 4],
      [1, 8],
      [2, 8],
      [4, 2],
      [4, 8],
      [8, 4],
      [1, 16],
      [2, 16],
    ] as const)
      for (const down of [true])
        for (const streaming of [false]) {
          const plan = { across, warps, down, streaming };
          const k = makeTranspose(plan, 8, false);
          variants.push({ name: label(plan), bytes: 4 * rows * cols, launch: () => k.launch({ stream }, x, y) });
        }
  verify = async () => {
    for (const c of picks(cols)) {
      const got = await rowsOf(y, c),
        want = (await x.slice(undefined as never, [c, c + 1]).read()) as ArrayLike<number>;
      for (let i = 0; i < rows; i++) if (got[i] !== want[i]) return `wrong at ${c}, ${i}`;
    }
    y.fill(Number.NaN);
    return "ok";
  };
}
if (op === "ce" || op === "argmax") {
  const rows = small ? 2 : op === "ce" ? 8192 : 64;
  const x = normal("bf16", [rows, V], 1),
    t = gpu.tensor(
      "i32",
      [rows],
      Int32Array.from({ length: rows }, (_, i) => (i * 7919) % V),
    ) as T;
  const y = gpu.empty(op === "ce" ? "f32" : "i32", [rows]) as T;
  const plans: any[] = [];
  if (op === "ce") {
    for (const threads of [128, 256])
      for (const depth of [2, 3, 4])
        for (const evict of ["", "noAllocate"])
          for (const blocksPerSM of [0, 1536 / threads, 2048 / threads])
            plans.push({
              threads,
              group: "block",
              keep: false,
              depth,
              ...(evict ? { evict } : {}),
              ...(blocksPerSM ? { blocksPerSM } : {}),
            });
  } else
    for (const cluster of [1, 2, 4])
      for (const threads of [128, 256, 512])
        for (const depth of [4, 8, 16]) plans.push({ threads, group: "block", keep: false, cluster, depth });
  for (const plan of plans) {
    const shape = { plan, columns: V, vector: 8 };
    const [k, a] = [makeCrossEntropy(shape, false, false), makeArgmax(shape, false)];
    variants.push({
      name: label(plan),
      bytes: 2 * rows * V,
      launch: () => (op === "ce" ? k.launch({ stream }, x, t, y, y) : a.launch({ stream }, x, y)),
    });
  }
  verify = async () => {
    const got = (await y.read()) as ArrayLike<number>,
      ts = (await t.read()) as ArrayLike<number>;
    for (const r of picks(rows)) {
      const a = await rowsOf(x, r);
      if (op === "ce") {
        const want = Math.log(Array.from(a).reduce((s, v) => s + Math.exp(v), 0)) - a[ts[r]!]!;
        if (!(Math.abs(got[r]! - want) < 1e-5 * Math.abs(want))) return `wrong at ${r}: ${got[r]}, not ${want}`;
      } else {
        const want = Array.from(a).indexOf(Array.from(a).reduce((p, q) => Math.max(p, q)));
        if (got[r] !== want) return `wrong at ${r}: ${got[r]}, not ${want}`;
      }
    }
    y.fill(op === "ce" ? Number.NaN : -1);
    return "ok";
  };
}
if (op === "sumrows") {
  const x = normal("bf16", [R, C], 1),
    y = gpu.empty("f32", [R]) as T;
  for (const threads of [64, 128, 256])
    for (const keep of [true, false])
      for (const evict of ["", "noAllocate"]) {
        const plan: any = { threads, group: "block", keep, ...(evict ? { evict } : {}) };
        const k = makeReduce("sum", { plan, columns: C, vector: 8 }, false);
        variants.push({ name: label(plan), bytes: 2 * R * C, launch: () => k.launch({ stream }, x, y) });
      }
  for (const threads of [128, 256]) {
    const plan: any = { threads, group: "warp", keep: false, depth: 8 };
    const k = makeReduce("sum", { plan, columns: C, vector: 8 }, false);
    variants.push({ name: label(plan) + " warp", bytes: 2 * R * C, launch: () => k.launch({ stream }, x, y) });
  }
  verify = async () => {
    const got = (await y.read()) as ArrayLike<number>;
    for (const r of picks(R))
      if (!(Math.abs(got[r]! - Array.from(await rowsOf(x, r)).reduce((a, b) => a + b, 0)) < 1e-2)) return `wrong ${r}`;
    y.fill(Number.NaN);
    return "ok";
  };
}
const good: Variant[] = [];
for (const v of variants) {
  try {
    v.launch();
    const said = mode === "time" && variants.indexOf(v) > 0 ? "ok" : await verify();
    if (said === "ok") good.push(v);
    else console.log(op, v.name, said);
  } catch (error) {
    console.log(op, v.name, error instanceof Error ? error.message.split("\n")[0] : error);
  }
}
if (mode === "check") console.log(op, "checked", good.length, "of", variants.length);
else {
  const timer = new CudaTimer(loadDriver(), stream.native as bigint);
  await gpu.sync();
  const rounds = small ? 1 : op === "copy" || op === "add" ? 7 : 11;
  const times = flushedRounds(timer, good, rounds);
  const rows = good.map(({ name, bytes }) => ({ name, us: median(times.get(name) ?? []), bytes })).sort((a, b) => a.us - b.us);
  for (const { name, us, bytes } of rows)
    console.log(op.padEnd(10), name.padEnd(60), us.toFixed(1), (bytes / us / 1e6).toFixed(3), "TB/s");
  timer.settle();
}
process.exit(0);
