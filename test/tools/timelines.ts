// What timelines on a GPU cost and whether they are true: profiles of some kernels, their launches with and without recording by turns, and
// loads that are slow on purpose beside loads that are not.
//
//   node --import warpsmith/register test/tools/timelines.ts --out FOLDER [--device cuda] [--pairs 30] [--only NAME] [--small] [--recorded] [--records] [--turns]
//
// `--recorded`: the kernel records by itself on the emulator, too, which else sees more without. `--records`: only saves what the launch has left in memory. `--turns`: only launches by turns. `npm run build` comes before: the compiled package is what it looks into.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import {
  type Device,
  type DeviceTensor,
  type Dims,
  fence,
  type Kernel,
  kernel,
  type Latency,
  openDevice,
  Pipeline,
  type Profile,
  profile,
  range,
  sharedMemory,
  syncWarp,
  type Tensor,
  TMA,
  threadIdx,
  warp,
  warpgroup,
} from "warpsmith";
import { attentionKernel, matmulKernel } from "warpsmith/kernels";
import type * as Inside from "../../src/entries/inside.ts";

const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: "." },
    device: { type: "string", default: "cuda" },
    pairs: { type: "string", default: "30" },
    only: { type: "string" },
    small: { type: "boolean", default: false },
    recorded: { type: "boolean", default: false },
    records: { type: "boolean", default: false },
    turns: { type: "boolean", default: false },
  },
});
mkdirSync(options.out, { recursive: true });
const { openTimeline, partsOf, prepare, profileLaunch, roomFor, start } = (await import(
  new URL("../../dist/entries/inside.js", import.meta.url).href
)) as typeof Inside;

/** Sums rows that come through a ring; each warp has a role. */
const ringSum = kernel({ block: 96, grid: (_x, out) => out.shape[0] }, function ringSum(x: TMA<"f32", 3>, out: Tensor<"f32", 2>) {
  const lane = threadIdx.x % 32;
  const tiles = sharedMemory.alloc("f32", [4, 1, 32, 32]);
  const ring = new Pipeline({ stages: 4 });
  ring.init();
  const count = x.shape[1] / 32;
  if (warp.index === 0) {
    let put = ring.producer();
    if (lane === 0)
      for (const r of range(count)) {
        x.load(tiles.at(put.index), put.acquire(4096), [0, r * 32, 0]);
        put = put.next();
      }
  } else if (warp.index === 1) {
    let get = ring.consumer();
    let total = 0;
    for (const _ of range(count)) {
      get.wait();
      profile.begin("add");
      for (const i of range(32)) total += tiles.at(get.index, 0, i, lane).load();
      fence.proxyAsync();
      syncWarp();
      get.release({ pred: lane === 0 });
      profile.end("add");
      get = get.next();
    }
    out.at(0, lane).store(total);
  }
});

/** Loads each tile, one after the other: first when no cache has it, then again, then a larger box. What a warp waits for is marked, too. */
const slowLoads = kernel(
  { block: 96, grid: 1 },
  function slowLoads(x: TMA<"f32", 2>, wide: TMA<"f32", 2>, out: Tensor<"f32", 1>) {
    const lane = threadIdx.x % 32;
    const tile = sharedMemory.alloc("f32", [8, 32]);
    const big = sharedMemory.alloc("f32", [256, 32]);
    const ring = new Pipeline({ stages: 1 });
    ring.init();
    const rows = wide.shape[0] / 256;
    const apart = x.shape[0] / rows;
    if (warp.index === 0) {
      let put = ring.producer();
      if (lane === 0)
        for (const r of range(rows)) {
          x.load(tile, put.acquire(1024), [0, r * apart]); // cold
          put = put.next();
          x.load(tile, put.acquire(1024), [0, r * apart]); // cached
          put = put.next();
          wide.load(big, put.acquire(32768), [0, r * 256]); // large
          put = put.next();
        }
    } else if (warp.index === 1) {
      let get = ring.consumer();
      let total = 0;
      for (const _ of range(rows)) {
        profile.begin("cold");
        get.wait();
        profile.end("cold");
        total += tile.at(0, lane).load();
        fence.proxyAsync();
        syncWarp();
        get.release({ pred: lane === 0 });
        get = get.next();
        profile.begin("cached");
        get.wait();
        profile.end("cached");
        total += tile.at(1, lane).load();
        fence.proxyAsync();
        syncWarp();
        get.release({ pred: lane === 0 });
        get = get.next();
        profile.begin("large");
        get.wait();
        profile.end("large");
        total += big.at(0, lane).load();
        fence.proxyAsync();
        syncWarp();
        get.release({ pred: lane === 0 });
        get = get.next();
      }
      out.at(lane).store(total);
    }
  },
);

/** Threads that load with cp.async, and products that two warpgroups make: what has no idle warp. */
const everyoneWorks = kernel({ block: 128, grid: 4 }, function everyoneWorks(x: TMA<"f32", 2>, out: Tensor<"f32", 1>) {
  const tile = sharedMemory.alloc("f32", [8, 32]);
  const ring = new Pipeline({ stages: 1, consumers: 128 });
  ring.init();
  let put = ring.producer();
  let get = ring.consumer();
  let total = 0;
  for (const r of range(8)) {
    if (warpgroup.thread === 0) x.load(tile, put.acquire(1024), [0, r * 8]);
    put = put.next();
    get.wait();
    total += tile.at(threadIdx.x % 8, threadIdx.x % 32).load();
    fence.proxyAsync();
    get.release();
    get = get.next();
  }
  out.at(threadIdx.x).store(total);
});

type Any = Kernel<unknown[]>;
interface Made {
  readonly kernel: Any;
  readonly args: readonly unknown[];
  readonly config?: { readonly grid?: number };
}

const shape = options.small ? 256 : 4096;

async function made(gpu: Device): Promise<Readonly<Record<string, () => Made>>> {
  const floats = (dims: number[], value = 1) =>
    gpu.tensor("f32", dims, new Float32Array(dims.reduce((a, b) => a * b)).fill(value));
  const halves = <R extends number>(dims: Dims<R>) => {
    const values = Float32Array.from({ length: 4096 }, (_, i) => ((i * 2654435761) % 97) / 48 - 1);
    const all = new Float32Array(dims.reduce((a, b) => a * b));
    for (let i = 0; i < all.length; i += values.length) all.set(values.subarray(0, Math.min(values.length, all.length - i)), i);
    return gpu.tensor("f16", dims, all) as unknown as DeviceTensor<"f16", R>;
  };
  const of = (k: unknown, args: readonly unknown[], config?: Made["config"]): Made => ({
    kernel: k as Any,
    args,
    ...(config && { config }),
  });
  return {
    ring: () => {
      const x = floats([1, options.small ? 256 : 4096, 32]);
      return of(ringSum, [new TMA(x, { box: [1, 32, 32] }), gpu.empty("f32", [options.small ? 2 : 132, 32])]);
    },
    slow: () => {
      const rows = options.small ? 4 : 64;
      // So far apart that no cache holds them: the same tile again is there.
      const x = gpu.empty("f32", [rows * (options.small ? 8 : 8192), 256]);
      const wide = floats([rows * 256, 32]);
      return of(slowLoads, [new TMA(x, { box: [8, 32] }), new TMA(wide, { box: [256, 32] }), gpu.empty("f32", [32])]);
    },
    everyone: () => of(everyoneWorks, [new TMA(floats([64, 32]), { box: [8, 32] }), gpu.empty("f32", [128])]),
    product: () => {
      const inner = options.small ? 1024 : shape;
      const m = matmulKernel(halves<2>([shape, inner]), halves<2>([inner, shape]), { dtype: "f32" });
      return of(m.kernel, m.args);
    },
    attention: () => {
      const heads = () => halves<4>(options.small ? [1, 1, 256, 128] : [4, 16, 4096, 128]);
      const { kernel: flash, args, grid } = attentionKernel(heads(), heads(), heads(), { causal: true });
      return of(flash, args, { grid });
    },
  };
}

const us = (ns: number | undefined): string => (ns === undefined ? "-" : `${(ns / 1000).toFixed(2)} µs`);
const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / Math.max(1, numbers.length);
const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

function tell(name: string, found: Profile): void {
  const { launches, duration, spans, dropped, unpaired, notes = [] } = found;
  const part = launches ? ((100 * duration) / launches.recorded).toFixed(2) : "-";
  console.log(
    `${name}: lasts ${us(duration)}, launch ${us(launches?.recorded)}, plain ${us(launches?.plain)}; timeline / launch ${part} %; recording costs ${launches?.cost === undefined ? "-" : (100 * launches.cost).toFixed(2)} % by the profile, ${launches?.turns} turns`,
  );
  console.log(
    `  ${found.blocks.length} blocks, ${spans.length} spans, ${found.arrows.length} arrows, dropped ${dropped}, unpaired ${unpaired}`,
  );
  for (const note of notes) console.log(`  ${note}`);
  const { roles, waits, work } = found.summary();
  for (const r of roles) console.log(`  ${r.role}: ${r.warps} warps, waits ${((100 * r.waiting) / r.time).toFixed(1)} %`);
  for (const w of waits.slice(0, 8))
    console.log(
      `  ${w.role} on ${w.on}: ${w.count} times, mean ${(w.time / w.count).toFixed(0)} ns, longest ${w.longest.toFixed(0)}`,
    );
  for (const w of work)
    console.log(
      `  ${w.name} ${w.bytes / w.count} B: ${w.count}, ${w.shortest.toFixed(0)} to ${w.longest.toFixed(0)} ns, mean ${w.mean.toFixed(0)}`,
    );
}

/** Loads beside the mark around the wait for them: the mark ends when the consumer has seen the load. */
function compareLoads({ spans, places }: Profile): void {
  const marks = spans.filter(({ kind }) => kind === "mark");
  const loads = spans.filter(({ kind }) => kind === "load").toSorted((a, b) => a.begin - b.begin);
  for (const [i, name] of ["cold", "cached", "large"].entries()) {
    const own = loads.filter((_, at) => at % 3 === i);
    const seen = marks.filter((mark) => mark.name === name).toSorted((a, b) => a.begin - b.begin);
    const behind = own.map((load, at) => (seen[at]?.end ?? 0) - load.end);
    const line = places[own[0]?.place ?? -1]?.line;
    const times = own.map(({ begin, end }) => end - begin);
    console.log(
      `  ${name} (line ${line}, ${own[0]?.bytes} B): ${own.length} loads, median ${median(times).toFixed(0)} ns, mean ${mean(times).toFixed(0)}; seen by its consumer ${median(behind).toFixed(0)} ns later (${Math.min(...behind).toFixed(0)} to ${Math.max(...behind).toFixed(0)})`,
    );
  }
}

/** The emulator's clock leaves open what takes how long. */
const guess: Latency = ({ kind, bytes = 0 }) => (kind === "product" ? 128 : 500 + bytes / 32);

/** On a GPU a kernel records by itself; on the emulator where that is asked for. */
function profiled({ kernel: k, args, config }: Made, limit: number): Promise<Profile> {
  const parts = partsOf(k);
  if (!options.recorded || !parts) return k.profile({ ...config, limit, latency: guess }, ...args);
  const prepared = prepare(parts.source, parts.instances, config ?? {}, args, [], "timeline");
  return profileLaunch(parts.source, prepared, { ...config, limit }, undefined);
}

/** What a launch leaves in memory, for a test that reads it: slices of warps without the zeros at their end. */
async function saveRecords({ kernel: k, args, config = {} }: Made, file: string): Promise<void> {
  const parts = partsOf(k);
  if (!parts) throw new TypeError("no kernel");
  const prepared = prepare(parts.source, parts.instances, config, args, [], options.recorded ? "timeline" : "profile");
  const timeline = openTimeline(parts.source, prepared, prepared.backend.defaultStream);
  timeline.clear(1);
  start(parts.source, prepared, config);
  const found = await timeline.download();
  const { slice, blocks, warps } = roomFor(prepared.grid, prepared.instance.block);
  const slices = Array.from({ length: blocks * warps }, (_, i) => {
    const words = new Uint32Array(found.buffer, found.byteOffset + i * 2 ** slice, 2 ** slice / 4);
    return [...words.subarray(0, words.findLastIndex((word) => word !== 0) + 1)];
  });
  timeline.free();
  const sites = prepared.instance.timeline?.map((site) => ({
    ...site,
    place: site.place && { ...site.place, file: basename(site.place.file) },
  }));
  const buffers = prepared.instance.buffers.map(({ name, offset, bytes }) => ({ name, offset, bytes }));
  const { block, cluster } = prepared.instance;
  const launch = { kernel: parts.source.name, device: prepared.device.name, grid: prepared.grid, block, cluster };
  writeFileSync(file, `${JSON.stringify({ ...launch, sites, buffers, sliceWords: 2 ** slice / 4, slices })}\n`);
}

/** Launches by turns with and without recording. */
async function compareTimes(gpu: Device, { kernel: k, args, config = {} }: Made): Promise<string> {
  const parts = partsOf(k);
  if (!parts) throw new TypeError("no kernel");
  const plain = prepare(parts.source, parts.instances, config, args, []);
  const recorded = prepare(parts.source, parts.instances, config, args, [], "profile");
  writeFileSync(join(options.out, `${parts.source.name}.ptx`), recorded.instance.ptx);
  const { backend } = recorded;
  const stream = backend.defaultStream;
  const timeline = openTimeline(parts.source, recorded, stream);
  const times = { plain: [] as number[], recorded: [] as number[] };
  const run = async (of: typeof plain, to: number[]): Promise<void> => {
    const [from, until] = [backend.createEvent(), backend.createEvent()];
    timeline.clear(4);
    backend.record(from, stream);
    start(parts.source, of, config);
    backend.record(until, stream);
    await gpu.sync();
    to.push(backend.elapsed(from, until));
  };
  const results: string[][] = [];
  const keep = async (): Promise<void> => {
    const hashes = recorded.tensors.map(async (tensor) => {
      const { buffer, byteOffset, byteLength } = (await tensor.read()) as Float32Array;
      return createHash("sha1")
        .update(new Uint8Array(buffer, byteOffset, byteLength))
        .digest("hex");
    });
    results.push(await Promise.all(hashes));
  };
  for (let i = 0; i < Number(options.pairs) + 2; i++) {
    await run(plain, times.plain);
    if (i === 0) await keep();
    await run(recorded, times.recorded);
    if (i === 0) await keep();
  }
  timeline.free();
  console.log(`  results ${results[0]?.join() === results[1]?.join() ? "agree" : "DIFFER"}`);
  const [a, b] = [median(times.plain.slice(2)), median(times.recorded.slice(2))];
  const ratios = times.plain.slice(2).map((t, i) => (times.recorded[i + 2] ?? 0) / t);
  return `plain ${a.toFixed(2)} µs, recorded ${b.toFixed(2)} µs: ${(100 * (b / a - 1)).toFixed(2)} % (median of ratios ${(100 * (median(ratios) - 1)).toFixed(2)} %; plain ${Math.min(...times.plain.slice(2)).toFixed(1)} to ${Math.max(...times.plain.slice(2)).toFixed(1)}; registers ${plain.module.registers} and ${recorded.module.registers}, spills ${plain.module.spillBytes} and ${recorded.module.spillBytes})`;
}

const gpu = await openDevice(options.device as "cuda", {});
const makers = await made(gpu);
for (const [name, make] of Object.entries(makers)) {
  if (options.only !== undefined && !options.only.split(",").includes(name)) continue;
  const one = make();
  if (options.records) {
    await saveRecords(one, join(options.out, `${name}.records.json`));
    continue;
  }
  if (options.turns) {
    console.log(`${name} by turns: ${await compareTimes(gpu, one)}`);
    continue;
  }
  const found = await profiled(one, 1_000_000);
  tell(name, found);
  if (name === "slow") compareLoads(found);
  const small = await profiled(one, 20_000);
  const file = (ending: string): string => join(options.out, `${name}.${ending}`);
  writeFileSync(file("html"), small.toPage());
  writeFileSync(file("svg"), small.toPicture({ to: Math.min(small.duration, 12_000) }));
  const [from, length] = gpu.kind === "cuda" ? [small.duration / 2, 4000] : [0, 2500];
  writeFileSync(file("cut.svg"), small.toPicture({ from, to: from + length, blocks: 1 }));
  writeFileSync(
    file("json"),
    JSON.stringify({ ...small, spans: small.spans.slice(0, 4000), arrows: small.arrows.slice(0, 2000) }),
  );
  if (gpu.kind === "cuda") console.log(`  by turns: ${await compareTimes(gpu, one)}`);
}
await gpu[Symbol.asyncDispose]();
