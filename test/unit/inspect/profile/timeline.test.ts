import { describe, expect, it } from "vitest";
import {
  blockIdx,
  type Device,
  type DeviceTensor,
  type Dims,
  fence,
  type i32,
  type Kernel,
  kernel,
  openDevice,
  Pipeline,
  profile,
  range,
  sharedMemory,
  syncWarp,
  type Tensor,
  TMA,
  threadIdx,
  warp,
} from "warpsmith";
import { attentionKernel, matmulKernel } from "warpsmith/kernels";
import { timelineLayout as layout } from "../../../../src/base/timeline-layout.ts";
import { clocksOf } from "../../../../src/inspect/profile/timeline/clocks.ts";
import { readTimeline } from "../../../../src/inspect/profile/timeline/read-timeline.ts";
import type { TimelineSite } from "../../../../src/inspect/profile/timeline/types.ts";
import { roomFor } from "../../../../src/kernel/timeline.ts";
import { rotating, some } from "../../../support/amount.ts";
import { recordedTimeline } from "../../../support/recorded-timeline.ts";

const span = { file: "k.ts", line: 3, column: 1, length: 1 };
const site = (what: TimelineSite["what"], name: string, more: Partial<TimelineSite> = {}): TimelineSite => ({
  ...{ what, name, group: "", by: "warp", barrier: false, place: span },
  ...more,
});

describe("clocks", () => {
  it("of two multiprocessors become one time, across the end of 32 bits", () => {
    const anchors = [
      { multiprocessor: 0, clock: 2 ** 32 - 1000, time: 5000n },
      { multiprocessor: 0, clock: 1000, time: 6000n },
      { multiprocessor: 1, clock: 77, time: 5500n },
      { multiprocessor: 1, clock: 4077, time: 7500n },
    ] as const;
    const clocks = clocksOf(anchors);
    expect(clocks?.cycle(1)).toBe(0.5);
    expect(clocks?.error).toBe(0);
    expect(clocks?.at(anchors[0], 1500)).toBe(750);
    expect(clocks?.at(anchors[2], 4000)).toBe(2500);
  });
  it("say how far they are apart where they do not agree", () => {
    const times = [0n, 1010n, 2000n];
    const clocks = clocksOf(times.map((time, i) => ({ multiprocessor: 0, clock: 2000 * i, time })));
    expect(clocks?.error).toBeCloseTo(6.67, 1);
  });
});

describe("room for records", () => {
  it("is divided among warps, and goes to the first blocks where there are too many", () => {
    expect(roomFor([132, 1, 1], [384, 1, 1])).toEqual({ slice: 15, blockBits: 8, blocks: 132, warps: 12 });
    expect(roomFor([1, 1, 1], [32, 1, 1])).toEqual({ slice: 18, blockBits: 0, blocks: 1, warps: 1 });
    expect(roomFor([100_000, 1, 1], [128, 1, 1])).toEqual({ slice: 14, blockBits: 10, blocks: 1024, warps: 4 });
  });
});

describe("records of a block", () => {
  const sites = [
    site("load", "TMA load", { barrier: true, map: "x" }),
    site("wait", "mbarrier", { barrier: true }),
    site("landing", "", { barrier: true }),
    site("commit", "wgmma group", { group: "wgmma" }),
    site("wait", "wgmma", { group: "wgmma", pending: 1 }),
    site("store", "TMA store", { group: "bulk", map: "y" }),
    site("commit", "bulk group", { group: "bulk" }),
    site("wait", "bulk copies", { group: "bulk", pending: 0 }),
    site("wait", "bar.sync"),
    site("wait", "mbarrier", { barrier: true, by: "warpgroup" }),
    site("wait", "wgmma", { group: "wgmma", pending: 0, commits: "wgmma group", by: "warpgroup" }),
  ];
  const sliceWords = 512;
  /** A cycle is a nanosecond. Records: number of the site from 1 on, the upper half, the clock, and what else there is. */
  const launch = (warps: readonly (readonly (readonly number[])[])[], more: { taken?: number; limit?: number } = {}) => {
    const words = new Uint32Array(sliceWords * warps.length);
    for (const [w, records] of warps.entries()) {
      const own = words.subarray(w * sliceWords, (w + 1) * sliceWords);
      own.set([1, 0, 0, 1024, 0, 0]);
      own.set([10_000, more.taken ?? records.length * layout.recordBytes, 10_000, 0], layout.endClock);
      own[layout.beginTime] = 0;
      for (const [i, [number = 0, upper = 0, clock = 0, ...rest]] of records.entries())
        own.set([number + upper * 2 ** 16, clock, ...rest], layout.records + i * layout.recordWords);
    }
    return readTimeline({
      ...{ kernel: "k", device: "d", grid: [1, 1, 1], block: [32 * warps.length, 1, 1], cluster: [1, 1, 1], words, sliceWords },
      ...{ slicedBlocks: 1, sites, atOnce: 50, limit: more.limit ?? 1000, boxBytes: new Map([["x", 4096]]) },
      buffers: [{ name: "full", offset: 0, bytes: 16 }],
    });
  };
  const bar = (i: number, parity = 0): number => (1024 + 8 * i) / 8 + parity * 2 ** 15;
  const told = (found: ReturnType<typeof launch>, kind: string) =>
    found.spans.filter((s) => s.kind === kind).map(({ name, begin, end, open }) => [name, begin, end, ...(open ? ["open"] : [])]);

  it("give loads their landings, and waits what ended them", () => {
    const found = launch([
      [
        [1, bar(0), 100, 7, 8],
        [1, bar(1), 200],
        [1, bar(0), 2000],
      ],
      [
        [2, bar(0), 50, 910],
        [2, bar(1), 920, 940],
        [2, bar(0, 1), 1000, 2600],
      ],
      [
        [3, bar(0), 900],
        [3, bar(1), 800],
        [3, bar(0, 1), 2500],
      ],
    ]);
    expect(told(found, "load")).toEqual([
      ["TMA load", 100, 900],
      ["TMA load", 200, 800],
      ["TMA load", 2000, 2500],
    ]);
    expect(found.spans.find(({ kind }) => kind === "load")).toMatchObject({ bytes: 4096, details: { on: "full[0]" } });
    // The wait that found its phase over is none.
    expect(told(found, "wait")).toEqual([
      ["full[0], phase 0", 50, 910],
      ["full[0], phase 1", 1000, 2600],
    ]);
    expect(found.arrows.map(({ from, to }) => [from.at, to.at])).toEqual([
      [900, 910],
      [2500, 2600],
    ]);
    // The warp that observed has no row; landings have one.
    expect(found.lanes.map(({ kind, role }) => [kind, role])).toEqual([
      ["warp", "loads"],
      ["warp", "other work"],
      ["landings", ""],
    ]);
    expect(found.notes).toEqual(["clocks agree within 0 ns"]);
  });

  it("say where phases were missed, and never guess", () => {
    const found = launch([
      [
        [1, bar(0), 100],
        [1, bar(0), 2000],
      ],
      [
        [2, bar(0), 50, 910],
        [2, bar(0, 1), 1000, 2600],
      ],
      [[3, bar(0), 900]],
    ]);
    expect(told(found, "load")).toEqual([
      ["TMA load", 100, 900],
      ["TMA load", 2000, 2600],
    ]);
    expect(found.spans.at(-1)?.details).toMatchObject({ landed: "at the end of the next wait, or before" });
    expect(found.notes?.join()).toMatch(/1 phase of barriers .*of 1 load it is not known/);
  });

  it("make groups of commits and the waits that cover them", () => {
    const found = launch([
      [
        [4, 0, 100],
        [4, 0, 200],
        [5, 0, 210, 400],
        [6, 0, 500],
        [7, 0, 510],
        [8, 0, 520, 900],
        [9, 3, 1000, 1200],
        [4, 0, 1300],
      ],
    ]);
    expect(told(found, "group")).toEqual([
      ["wgmma group", 100, 400],
      ["wgmma group", 200, 10_000, "open"],
      ["bulk group", 510, 900],
      ["wgmma group", 1300, 10_000, "open"],
    ]);
    expect(told(found, "store")).toEqual([["TMA store", 500, 900]]);
    expect(told(found, "wait")).toEqual([
      ["wgmma", 210, 400],
      ["bulk copies", 520, 900],
      ["bar.sync 3", 1000, 1200],
    ]);
  });

  it("are those of four warps where the first one of a warpgroup records for all", () => {
    const found = launch([
      [
        [10, bar(0), 100, 300],
        [11, 0, 310, 400],
        [10, bar(0, 1), 500, 600],
        [9, 3, 700, 800],
      ],
      [],
      // Its own wait for the same barrier, behind those of its warpgroup, is for the phase behind theirs.
      [
        [2, bar(0), 900, 1000],
        [9, 3, 720, 800],
      ],
      [],
      // Nobody has recorded anything for the warps from the fifth one on.
      [[9, 3, 50, 300]],
    ]);
    const waits = found.spans.filter(({ kind }) => kind === "wait");
    const of = (warp: number) =>
      waits
        .filter(({ lane }) => lane === warp)
        .map(({ name, begin, end, details }) => [name, begin, end, details?.["recorded by"]]);
    expect(of(0)).toEqual([
      ["full[0], phase 0", 100, 300, undefined],
      ["wgmma", 310, 400, undefined],
      ["full[0], phase 1", 500, 600, undefined],
      ["bar.sync 3", 700, 800, undefined],
    ]);
    const told = [
      ["full[0], phase 0", 100, 300, "warp 0"],
      ["wgmma", 310, 400, "warp 0"],
      ["full[0], phase 1", 500, 600, "warp 0"],
    ];
    expect([of(1), of(3)]).toEqual([told, told]);
    expect(of(2)).toEqual([...told, ["bar.sync 3", 720, 800, undefined], ["full[0], phase 2", 900, 1000, undefined]]);
    expect(of(4)).toEqual([["bar.sync 3", 50, 300, undefined]]);
    expect(found.spans.filter(({ kind }) => kind === "group").map(({ lane }) => lane)).toEqual([0]);
    expect(found.lanes.map(({ role }) => role)).toEqual([...new Array(4).fill("products"), "other work"]);
    expect(found.notes?.join()).toContain("the first warp of each warpgroup recorded the waits of all four");
  });

  it("count what found no room, and not what was written behind a record that had some", () => {
    const room = sliceWords - layout.slack * layout.recordWords;
    const last = (room - layout.records) / layout.recordWords - 1;
    const records = Array.from({ length: last + 3 }, (_, i) => [9, 0, i * 100 + 1, i * 100 + 90]);
    const found = launch([records], { taken: 4 * (sliceWords - layout.records) });
    expect(told(found, "wait")).toHaveLength(last + 3);
    expect(found.dropped).toBe(layout.slack - 2);
  });
});

describe("a kernel that records by itself", () => {
  const sum = kernel({ block: 96, grid: 2, debug: false }, function sum(x: TMA<"f32", 2>, out: Tensor<"f32", 2>) {
    const lane = threadIdx.x % 32;
    const tiles = sharedMemory.alloc("f32", [2, 1, 32]);
    const ring = new Pipeline({ stages: 2 });
    ring.init();
    if (warp.index === 0) {
      let put = ring.producer();
      if (lane === 0)
        for (const r of range(x.shape[0])) {
          x.load(tiles.at(put.index), put.acquire(tiles.at(0).bytes), [0, r]);
          put = put.next();
        }
    } else if (warp.index === 1) {
      let get = ring.consumer();
      let total = 0;
      for (const _ of range(x.shape[0])) {
        get.wait();
        profile.begin("add");
        total += tiles.at(get.index, 0, lane).load();
        fence.proxyAsync();
        syncWarp();
        get.release({ pred: lane === 0 });
        profile.end("add");
        get = get.next();
      }
      out.at(blockIdx.x, lane).store(total);
    }
  });

  it.each(some(["eager", "lazy", "torn", 1, 2, 3, 4, 5] as const, 2))(
    "computes the same under the schedule %s, and says of each load when it landed or that nobody saw it",
    async (schedule) => {
      await using gpu = await openDevice("emulator", { check: "strict", threads: 1, schedule });
      const values = Float32Array.from({ length: 192 }, (_, i) => i);
      const [x, out] = [gpu.tensor("f32", [6, 32], values), gpu.zeros("f32", [2, 32])];
      const { spans, notes, dropped } = await recordedTimeline(sum, {}, new TMA(x, { box: [1, 32] }), out);
      expect(Array.from(await out.read())).toEqual(Array.from({ length: 64 }, (_, i) => 6 * (i % 32) + 32 * 15));
      const loads = spans.filter(({ kind }) => kind === "load");
      expect([loads.length, dropped]).toEqual([12, 0]);
      for (const { begin, end } of loads) expect(end).toBeGreaterThan(begin);
      const unseen = loads.filter(({ details, open }) => open || details?.landed !== undefined).length;
      const told = notes?.map((note) => /^of (\d+) loads? it is not known/.exec(note)?.[1]).find(Boolean);
      expect(Number(told ?? 0)).toBe(unseen);
    },
  );

  const halves = <R extends number>(gpu: Device, dims: Dims<R>, step: number) => {
    const count = (dims as readonly number[]).reduce((a, b) => a * b);
    const values = Float32Array.from({ length: count }, (_, i) => ((i * step) % 7) - 3);
    return gpu.tensor("f16", dims, values) as unknown as DeviceTensor<"f16", R>;
  };

  it.each(some(["strict", "normal"] as const, 0))("is silent under %s where a product records", async (check) => {
    await using gpu = await openDevice("emulator", { check });
    const product = matmulKernel(halves<2>(gpu, [128, 320], 3), halves<2>(gpu, [320, 128], 5), { dtype: "f32" });
    const found = await recordedTimeline(product.kernel, {}, ...product.args);
    expect(found.summary().work.map(({ kind }) => kind)).toContain("load");
    // What the first warp of a warpgroup records is there for all four, and barriers go by their names.
    const consumers = found.lanes.flatMap(({ role, warp }, lane) => (role === "consumer" ? [{ lane, warp }] : []));
    const waitsOf = (of: number) => found.spans.filter(({ kind, lane }) => kind === "wait" && lane === of);
    const first = consumers
      .filter(({ warp }) => warp === 4)
      .map(({ lane }) => waitsOf(lane).filter(({ name }) => name === "wgmma").length);
    expect(Math.min(...first)).toBeGreaterThan(4);
    for (const { lane, warp } of consumers)
      for (const { name, details } of waitsOf(lane)) {
        expect(name).not.toContain("0x");
        if (name === "wgmma")
          expect(details).toEqual(warp % 4 === 0 ? undefined : { "recorded by": `warp ${warp - (warp % 4)}` });
      }
  });

  it.each(["strict", "normal"] as const)("is silent under %s where attention records", rotating, async (check) => {
    await using gpu = await openDevice("emulator", { check });
    const heads = (step: number) => halves<4>(gpu, [1, 1, 256, 128], step);
    const { kernel: flash, args, grid } = attentionKernel(heads(3), heads(5), heads(2), { causal: true });
    const told = await recordedTimeline(flash as Kernel<unknown[]>, { grid }, ...args);
    expect(told.summary().work.map(({ kind }) => kind)).toContain("load");
    expect(told.summary().blocks).toEqual({ recorded: told.blocks.length, launched: told.blocks.length });
  });

  // The records of 128 blocks are 64 MiB.
  it("says of how many blocks of how many it is, where a launch is large", rotating, async () => {
    const many = kernel({ block: 1024, grid: 130, debug: false }, function many(out: Tensor<"i32", 1>) {
      if (threadIdx.x === 0) out.at(blockIdx.x).store(1);
    });
    await using gpu = await openDevice("emulator");
    const found = await recordedTimeline(many, {}, gpu.zeros("i32", [130]));
    expect(found.summary().blocks).toEqual({ recorded: 128, launched: 130 });
    expect(found.notes).toContain("128 of 130 blocks were recorded: the first ones");
    expect(found.toPage()).toContain("128 of 130 blocks were recorded: the first ones");
    expect(found.toChromeTrace()).toContain("1. many: 128 of 130 blocks were recorded");
  });

  it("says of which branches one side is not recorded", async () => {
    const parted = kernel({ block: 32, grid: 1, debug: false }, function parted(n: i32, out: Tensor<"i32", 1>) {
      let sum = 0;
      if (threadIdx.x < 16) {
        for (const i of range(n)) {
          profile.begin("low");
          sum += i;
          profile.end("low");
        }
      } else {
        for (const i of range(n)) {
          profile.begin("high");
          sum += 2 * i;
          profile.end("high");
        }
      }
      out.at(threadIdx.x).store(sum);
    });
    await using gpu = await openDevice("emulator", { check: "strict", threads: 1 });
    const out = gpu.zeros("i32", [32]);
    const found = await recordedTimeline(parted, {}, 4, out);
    expect(Array.from(await out.read())).toEqual(Array.from({ length: 32 }, (_, lane) => (lane < 16 ? 6 : 12)));
    expect(found.spans.map(({ name }) => name)).toEqual(["low", "low", "low", "low"]);
    expect(found.notes?.[0]).toMatch(/^the second side of 1 branch is not recorded \(line \d+\): lanes of a warp part there/);
  });

  it("computes the same, and shows in the same order what the emulator sees", async () => {
    await using gpu = await openDevice("emulator", { check: "strict", threads: 1 });
    const x = gpu.tensor(
      "f32",
      [8, 32],
      Float32Array.from({ length: 256 }, (_, i) => i),
    );
    const [a, b] = [gpu.zeros("f32", [2, 32]), gpu.zeros("f32", [2, 32])];
    const map = new TMA(x, { box: [1, 32] });
    const recorded = await recordedTimeline(sum, {}, map, a);
    const seen = await sum.profile({}, map, b);
    expect(await a.read()).toEqual(await b.read());
    const order = (of: typeof seen, kind: string) =>
      of.spans.flatMap((s) => {
        const lane = of.lanes[s.lane];
        const first = of.blocks[lane?.block ?? -1]?.index.join() === "0,0,0";
        return s.kind === kind && first
          ? [[lane?.warp, s.name.replace(/, phase.*/, ""), s.bytes, of.places[s.place ?? -1]?.line]]
          : [];
      });
    expect(order(recorded, "load")).toHaveLength(8);
    for (const kind of ["load", "mark"]) expect(order(recorded, kind)).toEqual(order(seen, kind));
    // Waits for a phase that was over are left out on either side, and which are is a matter of speed. The warp that observes has no row.
    const waits = new Set(
      order(seen, "wait")
        .filter(([number]) => number !== 2)
        .map((one) => JSON.stringify(one)),
    );
    const own = order(recorded, "wait").map((one) => JSON.stringify(one));
    expect([...waits].filter((one) => !own.includes(one))).toEqual([]);
    expect(recorded.lanes.filter(({ kind }) => kind === "warp").map(({ role }) => role)).toEqual([
      "loads",
      "other work",
      "loads",
      "other work",
    ]);
    expect(recorded.unit).toBe("ns");
  });
});
