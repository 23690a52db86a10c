// Draws a record of `npm run bench` again:
//
//   npm run bench:draw -- bench/results/NVIDIA-H200/bench.json
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { chart, type Panel, type Series } from "./chart.ts";
import { sizeOf } from "./problem.ts";
import { productCase } from "./product-entry.ts";
import { readRecord } from "./record.ts";
import { captionOf } from "./record-head.ts";
import { ratiosOf } from "./report.ts";
import type { CaseRecord } from "./run-case.ts";
import { writeDrawing } from "./write-drawing.ts";

const products = (records: readonly CaseRecord[]): readonly CaseRecord[] => records.filter(({ work }) => work === "product");

/** Colours that are told apart without red and green, too (Okabe and Ito). */
const kinds = [
  { name: "f16 NT", dtype: "f16", layout: "nt", color: "#0072b2" },
  { name: "bf16 NT", dtype: "bf16", layout: "nt", color: "#d55e00" },
  { name: "f16 NN", dtype: "f16", layout: "nn", color: "#56b4e9", dashed: true },
  { name: "bf16 NN", dtype: "bf16", layout: "nn", color: "#e69f00", dashed: true },
] as const;

type Way = keyof ReturnType<typeof ratiosOf>;

function panelOf(title: string, records: readonly CaseRecord[], way: Way, joined: boolean): Panel {
  const sorted = joined ? records.toSorted((x, y) => x.m - y.m) : records;
  const names = [...new Set(sorted.map(sizeOf))];
  const series = kinds.map(({ dtype, layout, ...look }): Series => {
    const own = records.filter((record) => record.dtype === dtype && record.layout === layout);
    return { ...look, values: Object.fromEntries(own.map((record) => [sizeOf(record), ratiosOf(record)[way]])) };
  });
  return {
    title,
    names,
    series: series.filter(({ values }) => Object.values(values).some((value) => value !== undefined)),
    joined,
  };
}

/** The ratio over size as SVG. */
export function drawRatios(records: readonly CaseRecord[], header: { readonly gpu?: string; readonly date?: string }): string {
  const squares = products(records).filter(({ group }) => group === "square"),
    others = products(records).filter(({ group }) => group !== "square");
  const rows = [
    [
      panelOf("M = N = K, L2 cache flushed, medians", squares, "flushed", true),
      panelOf("M = N = K, sustained for seconds", squares, "sustained", true),
    ],
    [panelOf("M×N×K, L2 cache flushed, medians", others, "flushed", false)],
  ].map((row) => row.filter(({ series }) => series.length > 0));
  const subtitle = `speed in multiples of the best of 16 cublasLt heuristics; above 1 is faster · ${header.gpu ?? ""}, ${(header.date ?? "").slice(0, 10)}`;
  return chart(
    "warpsmith matmul beside cublasLt",
    subtitle,
    rows.filter((row) => row.length > 0),
  );
}

/** Writes bench.svg and bench.png; says where, or why there is no PNG. */
export const drawBench = (
  records: readonly CaseRecord[],
  header: { readonly gpu?: string; readonly date?: string },
  folder: string,
): Promise<string> => writeDrawing(drawRatios(records, header), folder, "bench");

const [, script, file] = process.argv;
if (script !== undefined && import.meta.url === pathToFileURL(script).href && file !== undefined) {
  const record = readRecord(file);
  console.log(await drawBench(record.entries.map(productCase), captionOf(record), dirname(file)));
}
