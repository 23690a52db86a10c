import { afterAll, describe, expect, it, vi } from "vitest";
import {
  blockIdx,
  type Device,
  fence,
  type IssuedWork,
  i32,
  kernel,
  Mbarriers,
  openDevice,
  type Profile,
  type ProfileSpan,
  profile,
  range,
  sharedMemory,
  syncThreads,
  type Tensor,
  TileScheduler,
  TMA,
  tensorSpec,
  threadIdx,
  tma,
  warp,
} from "warpsmith";
import { randn } from "warpsmith/testing";
import { gemmWarpSpecialized } from "../../../examples/ch5/kernel.ts";
import { backendOf } from "../../../src/runtime/index.ts";
import { extent, rotating } from "../../support/amount.ts";
import { assemble } from "../../support/ptxas.ts";

const gpu: Device = await openDevice("emulator");
afterAll(() => gpu.dispose());

const of = (p: Profile, kind: ProfileSpan["kind"], lane?: number) =>
  p.spans.filter((s) => s.kind === kind && (lane === undefined || s.lane === lane));
const lineOf = ({ places }: Profile, { place }: ProfileSpan) => places[place ?? -1]?.line;
const warpOf = (p: Profile, { lane }: ProfileSpan) => p.lanes[lane]?.warp;

describe("the profile of a pipelined product", () => {
  const texts: string[] = [];
  const [M, N, K, stages] = [256, 128, 512, 3];
  const [tilesM, tilesN, tilesK] = [M / 128, N / 128, K / 64];
  const launched = async (latency?: NonNullable<Parameters<typeof gemmWarpSpecialized.profile>[0]["latency"]>) => {
    const [a, b] = [gpu.tensor("f16", [M, K], randn(M * K, 1)), gpu.tensor("f16", [K, N], randn(K * N, 2))];
    const d = gpu.empty("f32", [M, N]);
    const maps = [new TMA(a, { box: [128, 64], swizzle: "128B" }), new TMA(b, { box: [64, 64], swizzle: "128B" })] as const;
    const found = await gemmWarpSpecialized.profile({ ...(latency && { latency }) }, ...maps, d, stages);
    return { found, result: await d.read() };
  };

  it("is of PTX that has marks", async () => {
    const load = vi.spyOn(backendOf(gpu), "loadModule");
    await launched();
    texts.push(...load.mock.calls.map(([ptx]) => ptx));
    load.mockRestore();
    expect(texts.map((ptx) => ptx.match(/%globaltimer/g)?.length)).toEqual([2]);
  });

  it.skipIf(extent === "quick")("is of PTX that ptxas takes, and does not spill for marks", () => {
    expect(texts).toHaveLength(1);
    for (const assembled of texts.map((ptx) => assemble(ptx)))
      if (assembled) expect([assembled.ok, assembled.spills, assembled.warnings], assembled.log).toEqual([true, 0, []]);
  });

  it("has what the kernel does: loads, products, groups, roles, blocks", rotating, async () => {
    const { found } = await launched();
    expect(found).toMatchObject({
      kernel: "gemmWarpSpecialized",
      device: "emulator",
      grid: [tilesM, tilesN, 1],
      block: [256, 1, 1],
    });
    expect(found).toMatchObject({ unit: "ticks", dropped: 0, unpaired: 0 });
    expect(found.blocks.map(({ index, multiprocessor }) => [index, multiprocessor])).toEqual([
      [[0, 0, 0], 0],
      [[1, 0, 0], 1],
    ]);
    const warps = found.lanes.filter(({ kind }) => kind === "warp");
    expect(warps.map(({ role }) => role)).toEqual(
      [0, 1].flatMap(() => [..."pppp"].map(() => "producer").concat([..."cccc"].map(() => "consumer"))),
    );
    // Of a 128 × 64 box of A one load, of two 64 × 64 boxes of B two, for each step of each block.
    const loads = of(found, "load");
    expect(loads.length).toBe(tilesM * tilesN * tilesK * 3);
    expect(loads.reduce((n, { bytes = 0 }) => n + bytes, 0)).toBe(tilesM * tilesN * tilesK * (128 * 64 + 64 * 128) * 2);
    expect(loads.every((s) => s.end > s.begin && warpOf(found, s) === 0)).toBe(true);
    // 64 rows and 16 of K for each wgmma.
    expect(of(found, "product").length).toBe(tilesM * tilesN * tilesK * 2 * 4);
    expect(of(found, "group").length).toBe(tilesM * tilesN * tilesK);
    expect(of(found, "product").every((s) => warpOf(found, s) === 4)).toBe(true);
    // A group is open for the products that it has, and closed by a wait: not before they have landed.
    for (const group of of(found, "group")) {
      const own = of(found, "product", group.lane)
        .filter((s) => s.begin < group.begin)
        .slice(-8);
      expect(Math.max(...own.map((s) => s.end))).toBeLessThanOrEqual(group.end);
      expect(group.open).toBeUndefined();
    }
  });

  it("waits by the author's name, at the author's line, ended by what they waited for", rotating, async () => {
    const { found } = await launched(({ kind }) => (kind === "load" ? 400 : 1));
    const full = of(found, "wait").filter(({ on }) => on?.startsWith("full["));
    expect(full.length).toBeGreaterThan(0);
    expect(new Set(full.map(({ stage }) => stage)).size).toBe(stages);
    expect(new Set(full.map((s) => found.places[s.place ?? -1]?.file.replace(/.*\//, "")))).toEqual(new Set(["kernel.ts"]));
    expect(new Set(full.map((s) => lineOf(found, s))).size).toBe(1);
    expect(full.every((s) => found.lanes[s.lane]?.role === "consumer")).toBe(true);
    const ends = new Set(of(found, "load").map((s) => s.end));
    expect(full.every((s) => ends.has(s.end))).toBe(true);
  });

  it("shows a load that is slow as slow, and who waits for it; results stay the same", rotating, async () => {
    const quick = await launched();
    const lines = [...new Set(of(quick.found, "load").map((s) => lineOf(quick.found, s) ?? 0))];
    const [slowLine = 0, otherLine] = lines;
    const slow = await launched(({ place, kind }) => (kind === "load" && place?.line === slowLine ? 3000 : 1));
    expect(slow.result).toEqual(quick.result);
    const work = slow.found.summary().work.filter(({ kind }) => kind === "load");
    const byLine = new Map(work.map((w) => [slow.found.places[w.place ?? -1]?.line, w]));
    expect(byLine.get(slowLine)).toMatchObject({ shortest: 3000, longest: 3000 });
    expect(byLine.get(otherLine)).toMatchObject({ longest: 1 });
    const waiting = (p: Profile) => p.summary().roles.find(({ role }) => role === "consumer")?.waiting ?? 0;
    expect(waiting(slow.found)).toBeGreaterThan(waiting(quick.found) + 3000 * 4);
    expect(slow.found.duration).toBeGreaterThan(quick.found.duration + 3000);
    expect(slow.found.summary().waits[0]?.on).toMatch(/^full\[/);
  });

  it("has the products of a warpgroup one after the other", async () => {
    const { found } = await launched(({ kind }) => (kind === "product" ? 50 : 1));
    const [first] = of(found, "product");
    const ends = of(found, "product", first?.lane).map((s) => s.end);
    expect(ends.slice(1).every((end, i) => end - (ends[i] ?? 0) >= 50)).toBe(true);
  });
});

const marked = kernel({ block: 64, grid: 2 }, function marked(x: Tensor<"i32", 1>, n: i32) {
  profile.begin("all");
  for (const i of range(n)) {
    profile.begin("step");
    if (threadIdx.x % 32 < 3 && warp.index === 1) {
      profile.begin("few lanes");
      const at = blockIdx.x * 64 + threadIdx.x;
      x.at(at).store(x.at(at).load() + i);
      profile.end("few lanes");
    }
    profile.end("step");
  }
  profile.end("all");
  syncThreads();
});

describe("marks", () => {
  it("are spans of the warps that come to them, within each other", async () => {
    const found = await marked.profile({}, gpu.zeros("i32", [128]), 3);
    expect(found.unpaired).toBe(0);
    const marks = of(found, "mark");
    const count = (name: string) => marks.filter((s) => s.name === name).map((s) => `${s.lane}`);
    const warps = found.lanes.flatMap((l, i) => (l.kind === "warp" ? [i] : []));
    expect(count("all").sort()).toEqual(warps.map(String).sort());
    expect(count("step").length).toBe(3 * warps.length);
    expect(marks.filter((s) => s.name === "few lanes").map((s) => warpOf(found, s))).toEqual([1, 1, 1, 1, 1, 1]);
    for (const inner of marks.filter((s) => s.name === "few lanes")) {
      const step = marks.find((s) => s.name === "step" && s.lane === inner.lane && s.begin < inner.begin && s.end > inner.end);
      expect(step?.end).toBeGreaterThan(inner.end);
      expect(found.places[inner.place ?? -1]?.file).toMatch(/profile\.test\.ts$/);
    }
  });

  it("are the same without any check, and leave no print behind", async () => {
    const bare = await openDevice("emulator", { check: "off" });
    const found = await marked.profile({}, bare.zeros("i32", [128]), 3);
    expect(of(found, "mark").length).toBe(4 + 12 + 6);
    await bare.dispose();
  });

  it("change nothing where nothing is profiled", () => {
    const body = (begin: (name: string) => void, end: (name: string) => void) =>
      kernel({ block: 64 }, function k(x: Tensor<"i32", 1>) {
        begin("a");
        x[threadIdx.x] = 1;
        end("a");
      });
    const none = (): void => {};
    const text = (k: ReturnType<typeof body>) => k.compile(tensorSpec("i32", [64])).ptx.replaceAll(/^\s*\.loc .*\n/gm, "");
    expect(text(body(profile.begin, profile.end))).toBe(text(body(none, none)));
    expect(text(body(profile.begin, profile.end))).not.toContain("globaltimer");
  });

  it("do nothing on the host", () => {
    expect(profile.begin("a")).toBeUndefined();
    expect(profile.end("a")).toBeUndefined();
  });

  it("that an early end leaves open go on until the warp ends", async () => {
    const leaves = kernel({ block: 32 }, function leaves(x: Tensor<"i32", 1>, n: i32) {
      profile.begin("work");
      if (n > 0) return;
      x[threadIdx.x] = 1;
      profile.end("work");
    });
    const found = await leaves.profile({ grid: 1 }, gpu.zeros("i32", [32]), 1);
    const [span] = of(found, "mark");
    expect(span).toMatchObject({ name: "work", open: true, end: found.lanes[0]?.end });
    const whole = await leaves.profile({ grid: 1 }, gpu.zeros("i32", [32]), 0);
    expect(of(whole, "mark")[0]?.open).toBeUndefined();
  });

  it("say which tile a warp has", async () => {
    const tiles = kernel({ block: 32 }, function tiles(x: Tensor<"i32", 1>) {
      for (const { m, n } of new TileScheduler([2, 3], { mode: "persistent" }))
        x[blockIdx.x * 32 + threadIdx.x] = i32(m) * 10 + i32(n);
    });
    const found = await tiles.profile({ grid: 2 }, gpu.zeros("i32", [64]));
    const seen = of(found, "tile").map(({ details, name }) => [name, details?.index]);
    expect(seen.map(([, index]) => index).sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(seen.map(([name]) => name)).size).toBe(6);
  });
});

describe("kernel.profile", () => {
  const x = gpu.zeros("i32", [128]);

  it("is data that JSON takes, a trace and a page", async () => {
    const found = await marked.profile({}, x, 1);
    expect(JSON.parse(JSON.stringify(found))).toEqual({ ...found });
    expect(JSON.parse(found.toChromeTrace()).traceEvents.length).toBeGreaterThan(found.spans.length);
    expect(found.toPage()).toContain("marked");
  });

  it("says how many marks it had no room for", async () => {
    const repeated = kernel({ block: 32, grid: 1 }, function repeated(y: Tensor<"i32", 1>) {
      // biome-ignore format: a line of its own would be a span of its own
      for (const _ of range(20)) { profile.begin("turn"); profile.end("turn"); }
      y.at(threadIdx.x).store(1);
    });
    const whole = await repeated.profile({}, x);
    expect([of(whole, "mark").length, whole.dropped]).toEqual([20, 0]);
    const part = await repeated.profile({ limit: 20 }, x);
    const kept = of(part, "mark").length;
    expect(kept).toBeLessThan(20);
    expect(2 * kept + part.dropped).toBe(40);
  });

  it("keeps so many things, and says how many there were more", async () => {
    const found = await marked.profile({ limit: 5 }, x, 1);
    expect(found.spans.length).toBeLessThanOrEqual(5);
    expect(found.dropped).toBeGreaterThan(10);
  });

  it.each([
    [{ limit: -1 }, "W7046"],
    [{ limit: 1.5 }, "W7046"],
    [{ latency: 5 }, "W7046"],
    [{ latencies: () => 1 }, "W2601"],
    [{ overlapPrevious: "no" }, "W7046"],
    [{ overlapPrevious: true }, "W7518"],
  ])("refuses %j: %s", async (options, code) => {
    await expect(marked.profile(options as object, x, 1)).rejects.toMatchObject({ code });
  });

  const copies = kernel({ block: 32 }, function copies(m: TMA<"f32", 1>, y: Tensor<"f32", 1>) {
    const [tile, full] = [sharedMemory.alloc("f32", [32]), new Mbarriers(1).at(0)];
    if (threadIdx.x === 0) full.init(1);
    fence.mbarrierInit();
    syncThreads();
    if (threadIdx.x === 0) {
      full.arrive({ tx: m.bytes });
      m.load(tile, full, [0]);
    }
    full.wait(false);
    y[threadIdx.x] = tile.at(threadIdx.x).load();
  });

  it("tells the latency what is issued, and refuses what is no time at the line of the copy", async () => {
    const [from, to] = [gpu.zeros("f32", [32]), gpu.empty("f32", [32])];
    const map = new TMA(from, { box: [32] });
    const seen: unknown[] = [];
    const latency = (work: IssuedWork): number => {
      seen.push({ ...work, place: work.place?.line });
      return 5;
    };
    const found = await copies.profile({ grid: 1, latency }, map, to);
    const [load] = of(found, "load");
    if (!load) throw new Error("no load");
    const details = { by: "one lane", from: "global", to: "shared" };
    expect(seen).toEqual([{ kind: "load", name: "TMA load", bytes: 128, details, place: lineOf(found, load) }]);
    expect(load.end - load.begin).toBe(5);
    const refused = copies.profile({ grid: 1, latency: () => Number.NaN }, map, to);
    await expect(refused).rejects.toMatchObject({ code: "W7744", spans: [{ line: lineOf(found, load) }] });
  });

  it("calls a store that lies beyond its tensor a store", async () => {
    const beyond = kernel({ block: 32, grid: 1 }, function beyond(m: TMA<"f32", 1>) {
      const tile = sharedMemory.alloc("f32", [32]);
      tile.at(threadIdx.x).store(1);
      fence.proxyAsync();
      syncThreads();
      if (threadIdx.x === 0) {
        m.store(tile, [64]);
        tma.commit();
        tma.wait(0);
      }
    });
    const found = await beyond.profile({}, new TMA(gpu.zeros("f32", [32]), { box: [32] }));
    expect(of(found, "store").map(({ name }) => name)).toEqual(["TMA store"]);
    expect(of(found, "load")).toEqual([]);
    expect(found.lanes[0]?.role).toBe("stores");
  });

  it("launches as launch does: results are there, and the next launch is no profile", async () => {
    const y = gpu.zeros("i32", [128]);
    await marked.profile({}, y, 4);
    marked.launch({}, y, 4);
    expect(Array.from(await y.read()).slice(32, 36)).toEqual([12, 12, 12, 0]);
  });
});
