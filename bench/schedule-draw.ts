// Draws a record of `bench/schedules.ts`: schedules.svg and .png, and schedules-ablation.svg and .png.
//
//   node --import warpsmith/register bench/schedule-draw.ts bench/results/NVIDIA-H200/schedules.json
import { dirname } from "node:path";
import { chart, type Panel, type Series } from "./chart.ts";
import { fusions, teraflops } from "./problem.ts";
import { readRecord } from "./record.ts";
import { captionOf } from "./record-head.ts";
import { scheduleCase } from "./schedule-entry.ts";
import type { ScheduleCase } from "./schedule-measure.ts";
import { pathNames } from "./schedule-plans.ts";
import { ratioTo } from "./schedule-report.ts";
import { writeDrawing } from "./write-drawing.ts";

interface Of {
  readonly gpu?: string;
  readonly date?: string;
}

/** Colours that are told apart without red and green, too (Okabe and Ito). */
const colors: Readonly<Record<string, string>> = {
  cublasLt: "#333333",
  ceiling: "#999999",
  wgmma: "#0072b2",
  "mma.sync": "#d55e00",
  wmma: "#e69f00",
};
const seriesOf = (name: string, values: Series["values"], dashed = false): Series => ({
  ...{ name, color: colors[name] ?? "#009e73", values },
  ...(dashed ? { dashed } : {}),
});
const results = ["f32", "f16"] as const;

const bySize = (cases: readonly ScheduleCase[], of: (one: ScheduleCase) => number | undefined): Series["values"] =>
  Object.fromEntries(cases.map((one) => [String(one.m), of(one)]));

/** TFLOP/s over sizes: a line for each path, cublasLt, and the ceiling of mma.sync. */
function speeds(squares: readonly ScheduleCase[], result: "f32" | "f16", names: readonly string[]): Panel {
  const own = squares.filter((one) => one.result === result);
  const rate = (one: ScheduleCase, us: number | undefined): number | undefined =>
    us === undefined ? undefined : teraflops({ ...one, group: "square", result: "f32" }, us);
  const peer = (name: string): Series => {
    // Where several paths were measured, the peer's time of the first that has one.
    const found = own.toReversed().filter(({ peers }) => peers[name] !== undefined);
    return seriesOf(
      name,
      bySize(found, (one) => rate(one, one.peers[name])),
      true,
    );
  };
  const lines = pathNames.toReversed().map((path) =>
    seriesOf(
      path,
      bySize(
        own.filter((one) => one.path === path),
        (one) => one.tflops ?? undefined,
      ),
    ),
  );
  return {
    ...{ title: `f16 to ${result}, M = N = K, TFLOP/s, L2 cache flushed, medians`, names, joined: true },
    ...{ fromZero: true, labelEvery: names.length > 30 ? 4 : 1, series: [peer("cublasLt"), ...lines, peer("ceiling")] },
  };
}

/** Times of cublasLt over those of each path. */
function ratios(squares: readonly ScheduleCase[], result: "f32" | "f16", names: readonly string[], peer: string): Panel {
  const own = squares.filter((one) => one.result === result);
  const paths = peer === "ceiling" ? pathNames.filter((path) => path !== "wgmma") : pathNames;
  return {
    ...{ title: `f16 to ${result}, × ${peer === "ceiling" ? "the ceiling of mma.sync" : peer}`, names, joined: true },
    labelEvery: names.length > 30 ? 8 : 1,
    series: paths.map((path) =>
      seriesOf(
        path,
        bySize(
          own.filter((one) => one.path === path),
          (one) => ratioTo(one, peer),
        ),
      ),
    ),
  };
}

function fused(cases: readonly ScheduleCase[], result: "f32" | "f16"): Panel {
  const own = cases.filter((one) => one.group === "fused" && one.result === result);
  const nameOf = (one: ScheduleCase): string => `${one.work.replaceAll("-", " ")} ${one.m}`;
  const names = fusions.flatMap((work) => [...new Set(own.filter((one) => one.work === work).map(nameOf))]);
  const of = (path: string, peer: string): Series["values"] =>
    Object.fromEntries(own.filter((one) => one.path === path).map((one) => [nameOf(one), ratioTo(one, peer)]));
  const series = pathNames.flatMap((path) => [
    seriesOf(path, of(path, "cublasLt + kernel")),
    { ...seriesOf(path, of(path, "cublasLt relu"), true), name: `${path} × Lt relu` },
  ]);
  return {
    title: `f16 to ${result}, × cublasLt and a kernel; × Lt relu: × its own epilogue`,
    names,
    joined: false,
    series: shownOf(series),
  };
}
const shownOf = (series: readonly Series[]): readonly Series[] =>
  series.filter(({ values }) => Object.values(values).some((value) => value !== undefined));
const nonEmpty = (rows: readonly (readonly Panel[])[]): readonly (readonly Panel[])[] =>
  rows
    .map((row) => row.map((panel) => ({ ...panel, series: shownOf(panel.series) })).filter(({ series }) => series.length > 0))
    .filter((row) => row.length > 0);

const where = ({ gpu = "", date = "" }: Of): string => `${gpu}, ${date.slice(0, 10)}`;

/** Performance and ratios as SVG. */
export function drawSquares(cases: readonly ScheduleCase[], of: Of): string {
  const squares = cases.filter(({ group }) => group === "square");
  const names = [...new Set(squares.map(({ m }) => m))].toSorted((x, y) => x - y).map(String);
  const rows = nonEmpty([
    ...results.map((result) => [speeds(squares, result, names)]),
    results.map((result) => ratios(squares, result, names, "cublasLt")),
    results.map((result) => ratios(squares, result, names, "ceiling")),
    ...results.map((result) => [fused(cases, result)]),
  ]);
  return chart("Products by schedules of plain loop nests", `beside the best of 16 cublasLt heuristics · ${where(of)}`, rows);
}

/** The steps of an ablation as bars, as SVG; undefined where there is none. */
export function drawAblation(cases: readonly ScheduleCase[], of: Of): string | undefined {
  const panels = cases
    .filter(({ group }) => group === "ablation")
    .map((one): Panel => {
      const rate = (us: number): number => teraflops({ ...one, group: "square", result: "f32" }, us);
      const steps = Object.entries(one.plans).map(([name, us]) => [name, rate(us)] as const);
      const lt = one.peers.cublasLt === undefined ? [] : ([["cublasLt", rate(one.peers.cublasLt)]] as const);
      const all = [...steps, ...lt];
      const series = [seriesOf("schedule", Object.fromEntries(steps)), seriesOf("cublasLt", Object.fromEntries(lt))];
      return {
        ...{ title: `${one.m}³, f16 to ${one.result}, TFLOP/s`, names: all.map(([name]) => name), joined: false },
        ...{ fromZero: true, bars: true, series: [{ ...series[0], color: colors.wgmma }, series[1]] },
      };
    });
  return panels.length === 0
    ? undefined
    : chart(
        "What each pass gains",
        `a bar with + has what its left neighbour has as well · ${where(of)}`,
        panels.map((panel) => [panel]),
      );
}

/** Writes all drawings of a record; says where. */
export async function drawSchedules(cases: readonly ScheduleCase[], of: Of, folder: string): Promise<readonly string[]> {
  const bars = drawAblation(cases, of);
  return [
    await writeDrawing(drawSquares(cases, of), folder, "schedules"),
    ...(bars === undefined ? [] : [await writeDrawing(bars, folder, "schedules-ablation")]),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error("name a record of bench/schedules.ts");
  const record = readRecord(file);
  for (const line of await drawSchedules(record.entries.map(scheduleCase), captionOf(record), dirname(file))) console.log(line);
}
