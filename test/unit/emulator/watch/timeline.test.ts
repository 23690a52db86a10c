import { describe, expect, it } from "vitest";
import { type EmulatorOptions, joinTraces, type LaunchTrace, registerEmulator } from "../../../../src/emulator/index.ts";
import { openDevice } from "../../../../src/index.ts";
import { allCases } from "../../../cases/index.ts";
import { type Kernel, ptxOf, runPtx } from "../run-ptx.ts";
import { faultsOf } from "../trace-rules.ts";

const schedules: readonly NonNullable<EmulatorOptions["schedule"]>[] = ["eager", "lazy", "torn", 5];

function sink(room = 100_000) {
  const traces: LaunchTrace[] = [];
  return { traces, options: { trace: { room: () => room, take: (t: LaunchTrace) => void traces.push(t) } } };
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

async function traced(kernel: Kernel, options: EmulatorOptions = {}, room?: number): Promise<LaunchTrace> {
  const { traces, options: trace } = sink(room);
  await runPtx({ ...kernel, options: { ...options, ...trace } }).catch(() => {});
  const [only] = traces;
  if (!only || traces.length > 1) throw new Error("not one launch");
  return only;
}

describe("timeline of one copy", () => {
  it.each(schedules)("is in order under %j", async (schedule) => {
    const trace = await traced(copy, { schedule });
    expect(faultsOf(joinTraces([trace]))).toEqual([]);
    expect(trace.dropped).toBe(0);
  });

  it("says what the copy was, and when it was under way", async () => {
    const { events } = await traced(copy, { schedule: "lazy" });
    const [begin, end] = events.filter((e) => e.ph === "b" || e.ph === "e");
    const line = `k.ptx:${lineOf("cp.async.bulk.shared")}`;
    expect(begin).toMatchObject({
      ph: "b",
      name: "bulk load",
      cat: "copy",
      args: { bytes: 64, from: "global", to: "shared", line },
    });
    expect(end).toMatchObject({ ph: "e", name: "bulk load" });
    const issue = events.find((e) => e.ph === "X" && e.name === line);
    expect(begin).toMatchObject({ ts: issue?.ph === "X" ? issue.ts : -1 });
  });

  it("has the wait, and the arrow from the landing to its end", async () => {
    const { events } = await traced(copy, { schedule: "lazy" });
    const landing = events.find((e) => e.ph === "X" && e.tid === 100);
    const waits = events.find((e) => e.ph === "X" && e.name.startsWith("waits: mbarrier"));
    if (landing?.ph !== "X" || waits?.ph !== "X") throw new Error("no landing, or no wait");
    expect(waits).toMatchObject({ tid: 1, name: "waits: mbarrier 0x440, phase 0" });
    expect(waits.ts + waits.dur).toBe(landing.ts + landing.dur);
    const arrows = events.filter(
      (e) => (e.ph === "s" && e.tid === 100) || (e.ph === "f" && e.tid === 1 && e.ts === landing.ts + 0.5),
    );
    expect(arrows.map((e) => e.ph)).toEqual(["s", "f"]);
    expect(new Set(arrows.map((e) => ("id" in e ? e.id : "")))).toHaveProperty("size", 1);
  });

  it("counts what the barrier lacks", async () => {
    const { events } = await traced(copy);
    const counters = events.flatMap((e) => (e.ph === "C" ? [[e.name, e.args.pending, e.args.phase]] : []));
    expect(counters).toEqual([
      ["mbarrier 0x440", 1, 0],
      ["mbarrier 0x440", 0, 0],
      ["mbarrier 0x440", 1, 1],
    ]);
    expect(events.filter((e) => e.ph === "i").map((e) => e.name)).toEqual(["mbarrier 0x440: phase 0 is over"]);
  });

  it("has a slice for a line, however many instructions it has", async () => {
    const { events } = await traced(copy);
    const first = events.find((e) => e.ph === "X" && e.name === `k.ptx:${lineOf("mov.u32 %r1, smem")}`);
    expect(first).toMatchObject({ tid: 0, dur: 2 });
  });

  it("is the same each time, and whatever the time slices", async () => {
    for (const schedule of schedules) expect(await traced(copy, { schedule })).toEqual(await traced(copy, { schedule }));
  });
});

describe("timeline of a launch that fails", () => {
  it("ends with what waited in vain", async () => {
    const body = copying.replace("[%r2], 64;\n  cp", "[%r2], 80;\n  cp");
    const trace = await traced({ ...copy, body });
    expect(faultsOf(joinTraces([trace]))).toEqual([]);
    const last = trace.events.filter((e) => e.ph === "X" && e.tid === 1).at(-1);
    expect(last?.name).toBe("waits: mbarrier 0x440, phase 0 (in vain)");
  });
});

describe("size of a timeline", () => {
  it.each([0, 1, 7, 20])("is at most %i events and what closes them", async (room) => {
    const [whole, part] = [await traced(copy, { schedule: "lazy" }), await traced(copy, { schedule: "lazy" }, room)];
    expect(part.events.length).toBeLessThanOrEqual(room);
    expect(part.dropped).toBeGreaterThanOrEqual(whole.events.length - part.events.length);
    expect(faultsOf(joinTraces([part])).filter((fault) => !fault.includes("slice") && !fault.includes("name"))).toEqual([]);
    expect(joinTraces([part, part]).otherData.dropped).toBe(2 * part.dropped);
  });
});

describe("timelines of kernels", () => {
  const names = ["mbarrier/ring", "wgmma/", "cluster/", "tma/load-f16-128B", "memory/", "warp/"];
  const some = names.flatMap((part) => allCases.filter((c) => c.name.startsWith(part)).slice(0, 2));
  it.each(some.map((c) => [c.name, c] as const))("%s", async (_, one) => {
    for (const schedule of ["eager", "lazy", "torn"] as const) {
      const { traces, options } = sink();
      const forget = registerEmulator({ schedule, ...options });
      const gpu = await openDevice("emulator");
      forget();
      await one.run(gpu);
      await gpu.dispose();
      expect(traces.length).toBeGreaterThan(0);
      const file = joinTraces([...traces, ...traces]);
      expect(faultsOf(file)).toEqual([]);
      const blocks = file.traceEvents.filter((e) => e.ph === "M" && e.name === "process_name").map((e) => e.pid);
      expect(new Set(blocks).size).toBe(blocks.length);
    }
  });
});
