// Draws a record of `npm run bench:attention` again:
//
//   node --import ./dist/register.js bench/attention-draw.ts bench/results/NVIDIA-H200/attention.json
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { AttentionRecord } from "./attention-case.ts";
import { chart, type Panel, type Series } from "./chart.ts";
import { writeDrawing } from "./write-drawing.ts";

type Header = { readonly gpu?: string; readonly date?: string };

/** TFLOP/s of theirs. */
const rateOf = ({ us, tflops }: AttentionRecord, theirs: number | undefined): number | undefined =>
  theirs === undefined ? undefined : Math.round((tflops * us) / theirs);

/** TFLOP/s by case, theirs beside ours, as SVG. */
export function drawAttention(records: readonly AttentionRecord[], header: Header): string {
  const bySize = (series: string, color: string, of: (record: AttentionRecord) => number | undefined): Series => ({
    name: series,
    color,
    values: Object.fromEntries(records.map((record) => [record.name, of(record)])),
  });
  const all = [
    bySize("attention", "#0072b2", ({ tflops }) => Math.round(tflops)),
    bySize("cuDNN", "#d55e00", (record) => rateOf(record, record.peers.cuDNN)),
    bySize("FlexAttention", "#e69f00", (record) => rateOf(record, record.peers.FlexAttention)),
  ];
  const names = records.map(({ name }) => name);
  const panels: readonly Panel[] = [false, true].map((causal) => ({
    title: causal ? "causal" : "full",
    names: names.filter((_, i) => records[i]?.causal === causal),
    series: all.filter(({ values }) => records.some((r) => r.causal === causal && values[r.name] !== undefined)),
    joined: false,
    fromZero: true,
    bars: true,
  }));
  const subtitle = `TFLOP/s, L2 cache flushed, medians · ${header.gpu ?? ""}, ${(header.date ?? "").slice(0, 10)}`;
  return chart("warpsmith attention beside cuDNN", subtitle, [panels.filter(({ names }) => names.length > 0)]);
}

const [, script, file] = process.argv;
if (script === import.meta.filename && file !== undefined) {
  const { cases, ...header } = JSON.parse(readFileSync(file, "utf8")) as Header & { readonly cases: readonly AttentionRecord[] };
  console.log(await writeDrawing(drawAttention(cases, header), dirname(file), "attention"));
}
