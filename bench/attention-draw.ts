// Draws a record of `npm run bench:attention` again:
//
//   node --import warpsmith/register bench/attention-draw.ts bench/results/NVIDIA-H200/attention.json
import { dirname } from "node:path";
import type { AttentionRecord } from "./attention-case.ts";
import { attentionCase } from "./attention-entry.ts";
import { chart, type Panel, type Series } from "./chart.ts";
import { readRecord } from "./record.ts";
import { captionOf } from "./record-head.ts";
import { writeDrawing } from "./write-drawing.ts";

type Header = { readonly gpu?: string; readonly date?: string };

/** TFLOP/s of theirs. */
const rateOf = ({ us, tflops }: AttentionRecord, theirs: number | undefined): number | undefined =>
  theirs === undefined ? undefined : Math.round((tflops * us) / theirs);

/** Whether scores or the mask are functions of the author's. */
const isOwn = ({ score, mask }: AttentionRecord): boolean => score || mask !== undefined;

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
  const kinds: Readonly<Record<string, readonly AttentionRecord[]>> = {
    full: records.filter((r) => !isOwn(r) && !r.causal),
    causal: records.filter((r) => !isOwn(r) && r.causal),
    "functions of the author's": records.filter(isOwn),
  };
  const panels: readonly Panel[] = Object.entries(kinds).map(([title, some]) => ({
    title,
    names: some.map(({ name }) => name),
    series: all.filter(({ values }) => some.some(({ name }) => values[name] !== undefined)),
    joined: false,
    fromZero: true,
    bars: true,
  }));
  const subtitle = `TFLOP/s, L2 cache flushed, medians · ${header.gpu ?? ""}, ${(header.date ?? "").slice(0, 10)}`;
  return chart("warpsmith attention beside cuDNN", subtitle, [panels.filter(({ names }) => names.length > 0)]);
}

const [, script, file] = process.argv;
if (script === import.meta.filename && file !== undefined) {
  const record = readRecord(file);
  const svg = drawAttention(record.entries.map(attentionCase), captionOf(record));
  console.log(await writeDrawing(svg, dirname(file), "attention"));
}
