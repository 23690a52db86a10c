// Draws a record of `npm run bench:attention-decode` again:
//
//   node --import warpsmith/register bench/attention-decode-draw.ts bench/results/NVIDIA-H200/attention-decode.json
import { dirname } from "node:path";
import type { DecodeRecord } from "./attention-decode-case.ts";
import { decodeCase } from "./attention-entry.ts";
import { chart, type Panel, type Series } from "./chart.ts";
import { readRecord } from "./record.ts";
import { captionOf } from "./record-head.ts";
import { writeDrawing } from "./write-drawing.ts";

type Header = { readonly gpu?: string; readonly date?: string };

/** TB/s of keys and values by case, cuDNN's beside ours, as SVG: what every batch has the same number of, in one piece, and the rest. */
export function drawDecode(records: readonly DecodeRecord[], header: Header): string {
  const rate = ({ us, tbps }: DecodeRecord, time: number | undefined) =>
    time === undefined ? undefined : Math.round((100 * tbps * us) / time) / 100;
  const series = (name: string, color: string, of: (record: DecodeRecord) => number | undefined): Series => ({
    name,
    color,
    values: Object.fromEntries(records.map((record) => [record.name, of(record)])),
  });
  const all = [
    series("attentionDecode", "#0072b2", (record) => rate(record, record.us)),
    series("cuDNN", "#d55e00", (record) => rate(record, record.peers.cuDNN)),
  ];
  const isPlain = ({ pageSize, queries, window, ragged }: DecodeRecord): boolean =>
    pageSize === 0 && !ragged && queries === 1 && window === 0;
  const panels: readonly Panel[] = [true, false].map((plain) => {
    const names = records.filter((record) => isPlain(record) === plain).map(({ name }) => name);
    const shown = all.filter(({ values }) => names.some((name) => values[name] !== undefined));
    return {
      title: plain ? "keys in one piece" : "pages, and lengths that differ",
      names,
      series: shown,
      joined: false,
      fromZero: true,
      bars: true,
    };
  });
  const subtitle = `TB/s of keys and values, L2 cache flushed, medians · ${header.gpu ?? ""}, ${(header.date ?? "").slice(0, 10)}`;
  return chart("warpsmith attentionDecode beside cuDNN", subtitle, [panels.filter(({ names }) => names.length > 0)]);
}

const [, script, file] = process.argv;
if (script === import.meta.filename && file !== undefined) {
  const record = readRecord(file);
  const svg = drawDecode(record.entries.map(decodeCase), captionOf(record));
  console.log(await writeDrawing(svg, dirname(file), "attention-decode"));
}
