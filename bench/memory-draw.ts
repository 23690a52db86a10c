// Draws a record of `bench/memory.ts`: memory.svg and .png.
//
//   node --import warpsmith/register bench/memory-draw.ts bench/results/NVIDIA-H200/memory.json
import { dirname } from "node:path";
import { chart, type Panel, type Series } from "./chart.ts";
import { memoryCase } from "./memory-entry.ts";
import { readRecord } from "./record.ts";
import { captionOf } from "./record-head.ts";
import { round } from "./stats.ts";
import { writeDrawing } from "./write-drawing.ts";

/** One case: medians in microseconds. */
export interface MemoryRecord {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** What a launch reads and writes at least. */
  readonly bytes: number;
  /** Of the plan that the function chooses. */
  readonly us: number | null;
  readonly tbps: number | null;
  /** The time of PyTorch's fastest way over ours. */
  readonly ratio: number | null;
  readonly peers: Readonly<Record<string, number>>;
  /** Of all plans that took part. */
  readonly plans: Readonly<Record<string, number>>;
  readonly wrong: Readonly<Record<string, string>>;
}

interface Header {
  readonly gpu?: string;
  readonly date?: string;
}

const rate = (record: MemoryRecord, us: number | undefined): number | undefined => us && round(record.bytes / us / 1e6, 3);

function panelOf(title: string, records: readonly MemoryRecord[]): Panel {
  const series = (name: string, color: string, of: (record: MemoryRecord) => number | undefined): Series => ({
    ...{ name, color },
    values: Object.fromEntries(records.map((record) => [record.name, of(record)])),
  });
  return {
    ...{ title, names: records.map(({ name }) => name), joined: false, fromZero: true, bars: true },
    series: [
      series("warpsmith", "#0072b2", (record) => record.tbps ?? undefined),
      series("torch.compile", "#d55e00", (record) => rate(record, record.peers["torch.compile"])),
      series("torch eager", "#999999", (record) => rate(record, record.peers["torch eager"])),
    ],
  };
}

/** TB/s of every case, as bars. */
export async function drawMemory(
  records: readonly MemoryRecord[],
  { gpu = "", date = "" }: Header,
  folder: string,
): Promise<string> {
  const half = Math.ceil(records.length / 2);
  const panels = [records.slice(0, half), records.slice(half)].map((some) => [panelOf("TB/s, L2 cache flushed, medians", some)]);
  return writeDrawing(chart("What moves memory, beside PyTorch", `${gpu}, ${date.slice(0, 10)}`, panels), folder, "memory");
}

const [, script, file] = process.argv;
if (file && script?.endsWith("memory-draw.ts")) {
  const record = readRecord(file);
  console.log(await drawMemory(record.entries.map(memoryCase), captionOf(record), dirname(file)));
}
