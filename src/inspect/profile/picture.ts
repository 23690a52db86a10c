/** A profile as a drawing: SVG as text, in the rows and by the functions of the page. */

import { inXml, num, rect, text } from "../../base/svg.ts";
import { blockText, drawRow, heights, kinds, laneText, layOut, ticksOf, timeText, type View } from "./page/lanes.js";
import { pageData } from "./page-data.ts";
import type { PageLaunch } from "./page-types.ts";
import type { ProfileData } from "./types.ts";

/** What a drawing shows. W2601, W7046. */
export interface PictureOptions {
  /** A time, as spans have them. Default: 0. */
  readonly from?: number;
  /** A time after it. Default: the end of the launch. */
  readonly to?: number;
  /** How many blocks, the first ones. Default 1. */
  readonly blocks?: number;
  /** Pixels. Default 900. */
  readonly width?: number;
}

const gutter = 150;
const ruler = 22;
const legendHeight = 26;

const colours: Readonly<Record<(typeof kinds)[number], readonly [light: string, dark: string]>> = {
  code: ["#c9d3e3", "#46536a"],
  wait: ["#e2574c", "#ef6b60"],
  mark: ["#8b5cf6", "#a78bfa"],
  tile: ["#d9a514", "#e0b53c"],
  load: ["#2f7de1", "#5b9df5"],
  store: ["#12a594", "#2cc4b2"],
  product: ["#3aa655", "#5cc477"],
  group: ["#9aa7ba", "#6b7789"],
  landing: ["#2f7de1", "#5b9df5"],
};

const fills = (shade: 0 | 1): string => kinds.map((kind, i) => `.pf .k${i}{fill:${colours[kind][shade]}}`).join("");
const style = `<style>
.pf{font-family:"DejaVu Sans",Helvetica,Arial,sans-serif;font-size:11px}
.pf .bg{fill:#fff}.pf text{fill:#222}.pf .dim{fill:#666}.pf .b{font-weight:bold}.pf .line{stroke:#d8dbe0}.pf .on{fill:#fff}
${fills(0)}
@media(prefers-color-scheme:dark){.pf .bg{fill:#16181d}.pf text{fill:#dfe3ea}.pf .dim{fill:#8b94a3}.pf .line{stroke:#343944}${fills(1)}}
</style>`;

interface Drawing {
  readonly launch: PageLaunch;
  readonly names: readonly string[];
  readonly view: View;
  readonly width: number;
}

function drawRuler({ launch, view }: Drawing, height: number): string[] {
  return ticksOf(view).map((time) => {
    const x = gutter + (time - view.from) * view.scale;
    const line = `<line x1="${num(x)}" y1="${ruler - 4}" x2="${num(x)}" y2="${num(height)}" class="line"/>`;
    return line + text(x + 3, ruler - 8, timeText(time, launch.unit), "dim");
  });
}

function drawSpans({ launch, names, view, width }: Drawing, rows: ReturnType<typeof layOut>["rows"]): string[] {
  const parts: string[] = [];
  for (const row of rows) {
    drawRow(row, launch.spans, view, (x, length, kind, index) => {
      const left = Math.max(gutter + x, gutter);
      const right = Math.min(gutter + x + length, width);
      if (right <= left) return;
      parts.push(rect(left, ruler + row.y, Math.max(0.8, right - left - (length > 3 ? 0.6 : 0)), row.height - 1, `k${kind}`));
      const name = index === undefined ? "" : (names[launch.spans.name[index] ?? -1] ?? "");
      const room = (right - left - 6) / 6.4;
      if (row.height > 9 && name !== "" && room >= name.length)
        parts.push(text(left + 3, ruler + row.y + row.height - 4, name, kinds[kind] === "code" ? "" : "on"));
    });
  }
  return parts;
}

function drawLegend({ launch }: Drawing, y: number): string[] {
  let x = 8;
  return kinds.flatMap((kind, i) => {
    if (kind === "landing" || !launch.spans.kind.includes(i)) return [];
    const part = rect(x, y, 10, 10, `k${i}`) + text(x + 15, y + 9, kind);
    x += 28 + kind.length * 7;
    return [part];
  });
}

/** Draws a launch. */
export function profilePicture(profile: ProfileData, options: PictureOptions = {}): string {
  const { from = 0, to = Math.max(profile.duration, 1), blocks = 1, width = 900 } = options;
  const data = pageData([profile], () => undefined);
  const [launch] = data.launches;
  if (!launch) throw new TypeError("one profile is one launch");
  const seen = layOut({ ...launch, blocks: launch.blocks.slice(0, blocks) });
  const drawing: Drawing = { launch, names: data.names, width, view: { from, to, scale: (width - gutter) / (to - from) } };
  const bottom = ruler + seen.height;
  const labels = seen.groups.flatMap(({ y, block, lanes }) => {
    const place = launch.blocks[block];
    const warps = lanes.flatMap(({ lane, y: at }) => {
      const own = launch.lanes[lane];
      return own ? [text(14, ruler + at + heights.main - 4, laneText(own), "dim")] : [];
    });
    return [...(place ? [text(6, ruler + y + 13, blockText(place), "b")] : []), ...warps];
  });
  const height = bottom + legendHeight;
  const about = `${profile.kernel} on ${profile.device}, from ${timeText(from, profile.unit)} to ${timeText(to, profile.unit)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="pf" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${inXml(about)}">
${style}
${rect(0, 0, width, height, "bg")}
${[...drawRuler(drawing, bottom), ...drawSpans(drawing, seen.rows), ...labels, ...drawLegend(drawing, bottom + 8)].join("\n")}
</svg>
`;
}
