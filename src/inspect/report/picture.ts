/** A report as a drawing: SVG as text. How long each kind of work takes at least, beside what was measured, and what limits the blocks of a multiprocessor. */
import { inXml, num, rect, text } from "../../base/svg.ts";
import { type Gpu, gpus } from "./gpus.ts";
import { limiters } from "./occupancy.ts";
import { microseconds, percent, scaled } from "./print.ts";
import type { KernelReport, Roofline, Work } from "./types.ts";

const width = 760;
const [labels, values] = [170, 300];
const rowHeight = 24;
const barHeight = 14;

const style = `<style>
.rp{font-family:"DejaVu Sans",Helvetica,Arial,sans-serif;font-size:12px}
.rp .bg{fill:#fff}.rp text{fill:#222}.rp .dim{fill:#666}.rp .b{font-weight:bold}.rp .bar{fill:#c9d3e3}.rp .most{fill:#2f7de1}.rp .real{fill:#3aa655}.rp .mark{stroke:#e2574c;stroke-width:2}
@media(prefers-color-scheme:dark){.rp .bg{fill:#16181d}.rp text{fill:#dfe3ea}.rp .dim{fill:#8b94a3}.rp .bar{fill:#46536a}.rp .most{fill:#5b9df5}.rp .real{fill:#5cc477}.rp .mark{stroke:#ef6b60}}
</style>`;

interface Row {
  readonly label: string;
  readonly amount: number;
  /** What stands behind the bar. */
  readonly words: string;
  readonly kind: "bar" | "most" | "real";
  /** A second amount, as a line across the bar. */
  readonly mark?: number | undefined;
}

interface Chart {
  readonly heading: string;
  readonly note: string;
  readonly rows: readonly Row[];
}

/** How long it would take at what has been measured on such a GPU: copies, and products of 16-bit numbers. */
function reachedUs({ measured, memory, tensor }: Gpu, { tensorOperations }: Work, roof: Roofline) {
  if (!measured) return {};
  const isHalf = Object.keys(tensorOperations).every((type) => type === "f16" || type === "bf16");
  return {
    memory: (roof.memoryUs * memory) / measured.memory,
    tensor: isHalf ? (roof.tensorUs * tensor.f16) / measured.f16 : undefined,
  };
}

function timesOf(work: Work, roof: Roofline): Chart {
  const gpu = gpus[roof.gpu];
  const total = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, n) => sum + n, 0);
  const kind = (name: Roofline["boundBy"]) => (roof.boundBy === name ? "most" : "bar");
  const reached = reachedUs(gpu, work, roof);
  const amounts = [
    ["memory", roof.memoryUs, scaled(work.leastBytes, "B"), reached.memory],
    ["tensor cores", roof.tensorUs, scaled(total(work.tensorOperations), "op"), reached.tensor],
    ["arithmetic", roof.arithmeticUs, scaled(total(work.operations), "op"), undefined],
  ] as const;
  const rows: Row[] = amounts
    .filter(([, us]) => us > 0)
    .map(([name, us, what, mark]) => ({
      ...{ label: `${name}, at least`, amount: us, kind: kind(name), mark },
      words: `${microseconds(us)} for ${what}`,
    }));
  const { measured } = roof;
  const real: Row[] = measured
    ? [
        {
          label: "measured",
          amount: measured.us,
          kind: "real",
          words: `${microseconds(measured.us)}, ${percent(measured.share)} of the roof`,
        },
      ]
    : [];
  const note = gpu.measured ? `roof of the ${gpu.name}; the red line: what has been reached on one` : `roof of the ${gpu.name}`;
  return { heading: "Time of a launch", note, rows: [...rows, ...real] };
}

function roomOf({ occupancy }: KernelReport): Chart {
  const { limits, blocks, warps, limitedBy, exact } = occupancy;
  const rows = limiters.flatMap((limiter): readonly Row[] => {
    const amount = limits[limiter];
    if (amount === undefined) return [];
    const isLeast = limitedBy.includes(limiter);
    return [{ label: limiter, amount, words: `${amount}${isLeast ? ", the least" : ""}`, kind: isLeast ? "most" : "bar" }];
  });
  const some = `${blocks} ${blocks === 1 ? "block" : "blocks"}, ${warps} of 64 warps`;
  return { heading: "Blocks on a multiprocessor", note: exact ? some : `at most ${some}`, rows };
}

function drawChart({ heading, note, rows }: Chart, top: number): string[] {
  const most = Math.max(...rows.flatMap(({ amount, mark }) => [amount, mark ?? 0]));
  const scale = (width - labels - values) / (most || 1);
  const lines = rows.flatMap(({ label, amount, words, kind, mark }, i) => {
    const y = top + 14 + i * rowHeight;
    const end = labels + Math.max(amount, mark ?? 0) * scale;
    const line =
      mark === undefined
        ? []
        : [
            `<line x1="${num(labels + mark * scale)}" y1="${y - 2}" x2="${num(labels + mark * scale)}" y2="${y + barHeight + 2}" class="mark"/>`,
          ];
    return [
      text(12, y + 11, label, kind === "most" ? "b" : ""),
      rect(labels, y, Math.max(1, amount * scale), barHeight, kind),
      ...line,
      text(end + 8, y + 11, words, "dim"),
    ];
  });
  return [text(12, top, heading, "b"), text(labels + 60, top, note, "dim"), ...lines];
}

/** Draws a report: times where the grid is known, and the room for blocks. */
export function reportPicture(report: KernelReport): string {
  const { title, work, roofline } = report;
  const charts = [...(work && roofline ? [timesOf(work, roofline)] : []), roomOf(report)].filter(({ rows }) => rows.length > 0);
  let y = 52;
  const parts = charts.flatMap((chart) => {
    const drawn = drawChart(chart, y);
    y += chart.rows.length * rowHeight + 46;
    return drawn;
  });
  const height = y - 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="rp" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${inXml(`What ${title} costs`)}">
${style}
${[rect(0, 0, width, height, "bg"), text(12, 22, title, "dim"), ...parts].join("\n")}
</svg>
`;
}
