import { describe, expect, it } from "vitest";
import { type EmulatorOptions, registerEmulator } from "../../../../src/emulator/index.ts";
import { openDevice } from "../../../../src/index.ts";
import { chromeTrace, type ProfileData, type ProfileSpan, type SpanKind } from "../../../../src/inspect/profile/index.ts";
import { allCases } from "../../../cases/index.ts";
import { some } from "../../../support/amount.ts";
import { type Kernel, ptxOf, runPtx } from "../run-ptx.ts";
import { faultsOf } from "../trace-rules.ts";

const schedules: readonly NonNullable<EmulatorOptions["schedule"]>[] = ["eager", "lazy", "torn", 5];

function sink(room = 100_000) {
  const traces: ProfileData[] = [];
  return { traces, options: { profiles: { room: () => room, take: (t: ProfileData) => void traces.push(t) } } };
}

/** Warp 0 copies 64 bytes and goes on; warp 1 waits for them. */
const copying = `  mov.u32 %r1, smem; add.u32 %r2, %r1, 64;
  setp.ne.u32 %p1, %tid, 0;
  @%p1 bra made;
  mbarrier.init.shared::cta.b64 [%r2], 1;
made:
  bar.sync 0;
  setp.ge.u32 %p2, %tid, 32;
  @%p2 bra consumer;
  @%p1 bra over;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r2], 64;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], 64, [%r2];
  bra over;
consumer:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0;
  @!%p3 bra consumer;
  ld.shared.u32 %r3, [%r1];
  st.global.u32 [%out], %r3;
over:`;
const copy: Kernel = { body: copying, block: [64, 1, 1], outputBytes: 4, sharedBytes: 128, input: new Uint8Array(64).fill(7) };
const lineOf = (text: string): number =>
  ptxOf(copy)
    .split("\n")
    .findIndex((line) => line.includes(text)) + 1;

function spanOf(spans: readonly ProfileSpan[], kind: SpanKind): ProfileSpan {
  const [only, ...more] = spans.filter((s) => s.kind === kind);
  if (!only || more.length > 0) throw new Error(`not one ${kind}`);
  return only;
}

async function traced(kernel: Kernel, options: EmulatorOptions = {}, room?: number): Promise<ProfileData> {
  const { traces, options: trace } = sink(room);
  await runPtx({ ...kernel, options: { ...options, ...trace } }).catch(() => {});
  const [only] = traces;
  if (!only || traces.length > 1) throw new Error("not one launch");
  return only;
}

describe("timeline of one copy", () => {
  it.each(schedules)("is in order under %j", async (schedule) => {
    const trace = await traced(copy, { schedule });
    expect(faultsOf(chromeTrace([trace]))).toEqual([]);
    expect(trace.dropped).toBe(0);
  });

  it("says what the copy was, and when it was under way", async () => {
    const { spans, lanes, places } = await traced(copy, { schedule: "lazy" });
    const load = spanOf(spans, "load");
    const line = lineOf("cp.async.bulk.shared");
    expect(load).toMatchObject({ name: "bulk load", bytes: 64, details: { from: "global", to: "shared", by: "one lane" } });
    expect(places[load.place ?? -1]).toMatchObject({ file: "k.ptx", line });
    expect(lanes[load.lane]).toMatchObject({ kind: "warp", warp: 0, role: "loads" });
    expect(load.begin).toBe(spans.find((s) => s.kind === "code" && s.name === `k.ptx:${line}`)?.begin);
    expect(load.end).toBe(spanOf(spans, "landing").end);
  });

  it("has the wait with its line, and the arrow from the landing to its end", async () => {
    const { spans, arrows, lanes, places } = await traced(copy, { schedule: "lazy" });
    const [landing, wait] = [spanOf(spans, "landing"), spans.find((s) => s.kind === "wait" && s.phase !== undefined)];
    if (!wait) throw new Error("no wait");
    expect(wait).toMatchObject({ name: "mbarrier 0x440, phase 0", on: "mbarrier 0x440", phase: 0, end: landing.end });
    expect(lanes[wait.lane]?.warp).toBe(1);
    expect(places[wait.place ?? -1]?.line).toBe(lineOf("mbarrier.try_wait"));
    expect(arrows).toContainEqual({
      from: { lane: landing.lane, at: landing.begin },
      to: { lane: wait.lane, at: wait.end - 0.5 },
    });
  });

  it("counts what the barrier lacks", async () => {
    const { counts, instants } = await traced(copy);
    expect(counts.map(({ name, values }) => [name, values.pending, values.phase])).toEqual([
      ["mbarrier 0x440", 1, 0],
      ["mbarrier 0x440", 0, 0],
      ["mbarrier 0x440", 1, 1],
    ]);
    expect(instants.map(({ name }) => name)).toEqual(["mbarrier 0x440: phase 0 is over"]);
  });

  it("calls the barrier what the host calls its memory, and says which of several it is", async () => {
    const memories = (bytes: number) => [{ name: "full", space: "shared", begin: 64 - 8 * (bytes / 8 - 1), bytes } as const];
    const waitsOf = async (bytes: number) => {
      const { spans } = await traced({ ...copy, memories: memories(bytes) }, { schedule: "lazy" });
      return spans.find((s) => s.phase !== undefined);
    };
    expect(await waitsOf(8)).toMatchObject({ on: "full", name: "full, phase 0" });
    expect(await waitsOf(24)).toMatchObject({ on: "full[2]", stage: 2, name: "full[2], phase 0" });
  });

  it("has a span for a line, however many instructions it has", async () => {
    const { spans } = await traced(copy);
    const first = spans.find((s) => s.kind === "code" && s.name === `k.ptx:${lineOf("mov.u32 %r1, smem")}`);
    expect(first && first.end - first.begin).toBe(2);
  });

  it("says what was launched, of which blocks and warps it consisted, and when these ended", async () => {
    const { blocks, lanes, duration, ...told } = await traced(copy);
    expect(told).toMatchObject({
      kernel: "k",
      device: "emulator",
      grid: [1, 1, 1],
      block: [64, 1, 1],
      unit: "ticks",
      unpaired: 0,
    });
    expect(blocks).toEqual([{ index: [0, 0, 0], multiprocessor: 0 }]);
    expect(lanes.map(({ kind, warp }) => `${kind} ${warp}`)).toEqual(["warp 0", "warp 1", "landings -1", "barriers -1"]);
    expect(Math.max(...lanes.map(({ end }) => end))).toBe(duration);
  });

  it("is the same each time, and whatever the time slices", async () => {
    for (const schedule of schedules) expect(await traced(copy, { schedule })).toEqual(await traced(copy, { schedule }));
  });
});

describe("timeline of a launch that fails", () => {
  it("ends with what waited in vain", async () => {
    const body = copying.replace("[%r2], 64;\n  cp", "[%r2], 80;\n  cp");
    const trace = await traced({ ...copy, body });
    expect(faultsOf(chromeTrace([trace]))).toEqual([]);
    const last = trace.spans.filter((e) => trace.lanes[e.lane]?.warp === 1).at(-1);
    expect(last).toMatchObject({ kind: "wait", on: "mbarrier 0x440", phase: 0, open: true });
    expect(chromeTrace([trace]).traceEvents.some(({ name }) => name === "waits: mbarrier 0x440, phase 0 (in vain)")).toBe(true);
  });
});

describe("size of a timeline", () => {
  const size = ({ spans, arrows, instants, counts }: ProfileData): number =>
    spans.length + arrows.length + instants.length + counts.length;
  it.each([0, 1, 7, 20])("is at most %i things", async (room) => {
    const [whole, part] = [await traced(copy, { schedule: "lazy" }), await traced(copy, { schedule: "lazy" }, room)];
    expect(size(part)).toBeLessThanOrEqual(room);
    expect(part.dropped).toBeGreaterThanOrEqual(size(whole) - size(part));
    expect(faultsOf(chromeTrace([part])).filter((fault) => !fault.includes("slice"))).toEqual([]);
    expect(chromeTrace([part, part]).otherData.dropped).toBe(2 * part.dropped);
  });
});

describe("timelines of kernels", () => {
  const names = ["mbarrier/ring", "wgmma/", "cluster/", "tma/load-f16-128B", "memory/", "warp/"];
  const chosen = names.flatMap((part) => allCases.filter((c) => c.name.startsWith(part)).slice(0, 2));
  it.each(chosen.map((c) => [c.name, c] as const))("%s", async (_, one) => {
    for (const schedule of some(["lazy", "eager", "torn"] as const, 1)) {
      const { traces, options } = sink();
      const forget = registerEmulator({ schedule, ...options });
      const gpu = await openDevice("emulator");
      forget();
      await one.run(gpu);
      await gpu.dispose();
      expect(traces.length).toBeGreaterThan(0);
      const file = chromeTrace([...traces, ...traces]);
      expect(faultsOf(file)).toEqual([]);
      const blocks = file.traceEvents.filter((e) => e.ph === "M" && e.name === "process_name").map((e) => e.pid);
      expect(new Set(blocks).size).toBe(blocks.length);
    }
  });
});
