import { describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import type { Arena } from "../../bench/contenders.ts";
import { methods } from "../../bench/methods.ts";
import { recordFrom, recordText } from "../../bench/record.ts";
import { headerOf, headOf } from "../../bench/record-head.ts";
import { drawAblation, drawSquares } from "../../bench/schedule-draw.ts";
import { Entrants, type Task } from "../../bench/schedule-entrants.ts";
import { scheduleCase, scheduleEntry } from "../../bench/schedule-entry.ts";
import { measureTask, type ScheduleCase } from "../../bench/schedule-measure.ts";
import { merged } from "../../bench/schedule-merge.ts";
import { ablation, paths, plansFor, stepOf, wayName } from "../../bench/schedule-plans.ts";
import { ladderTable, summary } from "../../bench/schedule-report.ts";
import type { Timer } from "../../bench/timer.ts";
import { ladder as tutorial } from "../../examples/schedule/tensorir/further/steps.ts";
import { rotating } from "../support/amount.ts";

const task: Task = { size: 64, result: "f32", work: "product", layout: "nn", paths: ["wmma"], plans: 9, known: [], without: [] };

/** Marks 7 us apart, and no L2 cache. */
function clock(): Timer {
  let count = 0n;
  return {
    ...{ flush: () => {}, release: () => {}, reach: () => {}, wait: () => {}, settle: () => {} },
    mark: () => ++count,
    between: (from, to) => Number(to - from) * 7,
    batch: (launch, launches) => ({ launches, replay: launch, free: () => {} }),
  };
}

async function measured(more: Partial<Task>, cublasLt: Arena["cublasLt"]): Promise<readonly ScheduleCase[]> {
  await using device = await openDevice("emulator", { check: "off" });
  const stream = device.stream();
  const arena = { stream, timer: clock(), cublasLt } as unknown as Arena;
  return await measureTask(new Entrants({ ...task, ...more }, true), device, arena, 0);
}

const made = (path: ScheduleCase["path"], m: number, us: number, more: Partial<ScheduleCase> = {}): ScheduleCase => ({
  ...{ case: `${m} ${path} ${more.result} ${more.group}`, group: "square", path, dtype: "f16", result: "f32", layout: "nn" },
  ...{
    m,
    n: m,
    k: m,
    work: "product",
    plan: "a plan",
    sum: "f32",
    us,
    tflops: (2 * m ** 3) / us / 1e6,
    peers: { cublasLt: 100, ceiling: 160 },
  },
  ...{ plans: {}, correct: true, relative: {}, spread: {}, notes: {}, skipped: {} },
  ...more,
});

describe("the bench of schedules", () => {
  it("picks the plans whose tile divides a size, the first of them", () => {
    expect(plansFor(paths.wmma, { size: 64, result: "f32", work: "product" }, 9).map(({ options }) => options.tile)).toEqual([
      [64, 64, 64],
    ]);
    expect(plansFor(paths.wmma, { size: 4096, result: "f32", work: "product" }, 2)).toHaveLength(2);
    expect(plansFor(paths.wmma, { size: 4096, result: "f16", work: "product" }, 9).every(({ sum }) => sum === "f16")).toBe(true);
    const wgmma = (size: number, work: "product" | "relu-input") =>
      plansFor(paths.wgmma, { size, result: "f32", work }, 99).map(({ options }) => options);
    const isPadded = (options: object): boolean => "pad" in options;
    expect(wgmma(4096, "relu-input").some(isPadded)).toBe(false);
    expect(wgmma(4096, "relu-input")).toHaveLength(wgmma(4096, "product").filter((o) => !isPadded(o)).length + 2);
    // 40 × 23 tiles are 6.97 waves of 132, and 40 × 20 of 256 columns 6.06.
    const together = wgmma(5120, "product").filter((o) => !("pingpong" in o));
    expect(together[0]?.tile).toEqual([128, 224, 64]);
    // 40 × 36 are 10.9 waves.
    expect(wgmma(5120, "product")[0]).toMatchObject({ tile: [128, 144, 64], pingpong: true });
    expect(wgmma(5120, "product").filter(isPadded)).toHaveLength(8);
    expect(wgmma(13312, "product").filter((o) => isPadded(o) && o.tile[1] === 224)).toEqual([]);
    // 12 × 9 tiles are 0.82 waves, and 9 × 9 of 256 × 256 are 0.61; up to 1536 small tiles come first.
    const ofWarps = (size: number) => plansFor(paths.wmma, { size, result: "f16", work: "product" }, 1)[0]?.options.tile;
    expect(ofWarps(2304)).toEqual([192, 256, 32]);
    expect(ofWarps(1024)).toEqual([128, 64, 64]);
    // What was fast before is tried first.
    const [first, second] = plansFor(paths.wmma, { size: 2304, result: "f16", work: "product" }, 9).slice(4);
    const known = [second, first].map(({ name }) => name);
    expect(plansFor(paths.wmma, { size: 2304, result: "f16", work: "product" }, 2, [...known, "none of them"])).toEqual([
      second,
      first,
    ]);
    // Blocks that have one tile each take no turns.
    expect(wgmma(1024, "product").some((o) => "pingpong" in o)).toBe(false);
    expect(plansFor(ablation, { size: 4096, result: "f32", work: "product" }, 99)).toEqual(ablation);
  });

  it("checks and times a plan, and says why cublasLt is not there", rotating, async () => {
    const [one, ...others] = await measured({}, "no library");
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      path: "wmma",
      group: "square",
      us: 7,
      correct: true,
      peers: {},
      skipped: { cublasLt: "no library" },
    });
    expect(one.plan).toContain("64x64x64");
    expect(one.spread.wmma[2]).toBeGreaterThanOrEqual(15);
  });

  it("calls a wrong result of a library wrong, and does not time it", rotating, async () => {
    const launches = [() => {}];
    const [one] = await measured({}, { version: "1", close() {}, candidates: () => ({ launches, free: () => {} }) });
    expect(one.skipped.cublasLt).toMatch(/wrong result/);
    expect(one.us).toBe(7);
  });

  it("checks a fusion", rotating, async () => {
    const [one] = await measured({ work: "add-matrix-relu" }, "no library");
    expect(one).toMatchObject({ group: "fused", work: "add-matrix-relu", correct: true, us: 7 });
  });

  it("has all steps of the tutorial's chapter, and other ways to them behind theirs", () => {
    const task: Task = {
      size: 1024,
      result: "f32",
      work: "product",
      layout: "nt",
      paths: ["tutorial"],
      plans: 2,
      known: [],
      without: [],
    };
    const { all } = new Entrants(task, true);
    expect(new Set(all.map(({ team }) => team)).size).toBe(all.length);
    expect(all.filter(({ name }) => stepOf(name) === undefined).map(({ name }) => name)).toEqual(
      tutorial.map(({ name }) => name),
    );
    const steps = all.map(({ name }) => stepOf(name) ?? name);
    expect(steps.filter((step, i) => step !== steps[i - 1])).toEqual(tutorial.map(({ name }) => name));
    expect(new Entrants({ ...task, size: 200 }, true).all).toEqual([]);
  });

  it.each(["nt", "nn"] as const)("checks a step of it against a product with B as %s", rotating, async (layout) => {
    await using device = await openDevice("emulator", { check: "off" });
    const step = "17 stores by TMA";
    const without = tutorial.flatMap(({ name, others = {} }) => [
      ...(name === step ? [] : [name]),
      ...Object.keys(others).map((way) => wayName(name, way)),
    ]);
    const task: Task = { size: 256, result: "f32", work: "product", layout, paths: ["tutorial"], plans: 2, known: [], without };
    const [one] = await measureTask(new Entrants(task, false), device, undefined, 0);
    const [correct, plan] = layout === "nt" ? [true, step] : [false, null];
    expect(one).toMatchObject({ case: `f16 ${layout} 256³ to f32, tutorial`, group: "tutorial", layout, plan, correct });
  });

  it("prints a ladder: each step beside the one before, other ways beside the same", () => {
    const plans = { "8 a": 90, "9 b": 45, "9 b: c": 30, "10 d": 15 };
    const text = ladderTable(made("tutorial", 1024, 15, { group: "tutorial", plans, peers: { cublasLt: 9 } }));
    expect(text.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["tutorial", "µs", "× the one before", "× cublasLt"],
      ["8 a", "90.0", "–", "0.100"],
      ["9 b", "45.0", "2.00", "0.200"],
      ["or: c", "30.0", "3.00", "0.300"],
      ["10 d", "15.0", "3.00", "0.600"],
      ["cublasLt", "9.0", "1"],
    ]);
  });

  it("leaves out what it is told to", async () => {
    const [name] = plansFor(paths.wmma, { size: 64, result: "f32", work: "product" }, 9).map((plan) => plan.name);
    const [one] = await measured({ without: [name] }, "no library");
    expect(one).toMatchObject({ plan: null, us: null, correct: null });
  });

  it("joins parts, the later one first, and refuses parts of two devices", () => {
    const [old, young] = [made("wmma", 1024, 300), made("wmma", 1024, 200)];
    const header = { gpu: "X", driver: "1", cublasLt: "2", ptxas: "3" };
    const both = merged([
      { ...header, cases: [old, made("wgmma", 1024, 100)] },
      { ...header, cases: [young] },
    ]);
    expect(both.cases.map(({ us }) => us)).toEqual([100, 200]);
    expect(() =>
      merged([
        { ...header, cases: [] },
        { ...header, gpu: "Y", cases: [] },
      ]),
    ).toThrow("gpu is X in one, Y in another");
    const record = { ...headOf(header, methods.schedules), entries: both.cases.map(scheduleEntry) };
    const read = recordFrom(JSON.parse(recordText(record)), "a record");
    expect(read.entries.map(scheduleCase)).toEqual(both.cases);
    expect(headerOf(read)).toMatchObject(header);
  });

  it("sums up by path, result and peer", () => {
    const text = summary([made("wmma", 1024, 200), made("wmma", 2048, 800), made("wgmma", 1024, 100)]);
    expect(text.split("\n")).toEqual([
      "square wmma f16 to f32, × cublasLt: geometric mean 0.250, worst 0.125 at 2048³, of 2",
      "square wmma f16 to f32, × ceiling: geometric mean 0.400, worst 0.200 at 2048³, of 2",
      "square wgmma f16 to f32, × cublasLt: geometric mean 1.000, worst 1.000 at 1024³, of 1",
      "square wgmma f16 to f32, × ceiling: geometric mean 1.600, worst 1.600 at 1024³, of 1",
    ]);
  });

  it("draws speeds, ratios, fusions and the steps of an ablation", () => {
    const cases = [made("wmma", 1024, 200), made("wmma", 2048, 800), made("wgmma", 1024, 100)];
    const fused = made("wmma", 2048, 100, { group: "fused", work: "relu", peers: { "cublasLt + kernel": 120 } });
    const squares = drawSquares([...cases, fused], { gpu: "X", date: "2026-01-02" });
    for (const words of ["TFLOP/s", "× cublasLt", "× the ceiling of mma.sync", "relu 2048", "X, 2026-01-02"])
      expect(squares).toContain(words);
    expect(drawAblation(cases, {})).toBeUndefined();
    const steps = made("ablation", 4096, 100, { group: "ablation", plans: { plain: 400, "+ shared memory": 100 } });
    expect(drawAblation([steps], {})).toContain("shared memory");
  });
});
