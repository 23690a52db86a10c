import { digitsOf } from "../base/digits.ts";
import { times } from "./bits.ts";
import { columnsOf, inputExtents, type LinearLayout, placesOf, type Shape, shapeOf, unpack } from "./linear-layout.ts";

/** A table of elements: the last dimension goes across, those before it down. */
interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly { readonly head: string; readonly cells: readonly Cell[] }[];
}
interface Cell {
  readonly label: string;
  /** Of the first holder: the thread, or the 16 bytes. What cells of one colour share. */
  readonly group: number;
}

/**
 * Who holds what, as text. `T5:2` is register 2 of thread 5 of the block, `B1.T5:2` of block 1; holders of the same element stand beside
 * each other with a bar. Of a layout of shared memory it is the byte at which the element begins.
 */
export function drawText(layout: LinearLayout, shape: Shape = shapeOf(layout)): string {
  const { heads, rows } = tableOf(layout, shape);
  const lines = [["", ...heads], ...rows.map(({ head, cells }) => [head, ...cells.map((c) => c.label)])];
  const widths = heads.map((_, i) => Math.max(...lines.map((line) => line[i + 1]?.length ?? 0)));
  const side = Math.max(...lines.map((line) => line[0]?.length ?? 0));
  return lines
    .map(([head = "", ...cells]) =>
      `${head.padStart(side)} | ${cells.map((c, i) => c.padEnd(widths[i] ?? 0)).join(" ")}`.trimEnd(),
    )
    .join("\n");
}

/** The same as a drawing, an SVG that needs nothing else: what one thread holds, or 16 bytes of memory, has one colour. */
export function drawSvg(layout: LinearLayout, shape: Shape = shapeOf(layout)): string {
  const { heads, rows } = tableOf(layout, shape);
  const longest = Math.max(...rows.flatMap(({ cells }) => cells.map((c) => c.label.length)));
  const [width, height, left, top] = [10 + 7 * longest, 22, 10 + 7 * Math.max(...rows.map((r) => r.head.length)), 22];
  const text = (x: number, y: number, words: string): string => `<text x="${x}" y="${y + 15}">${words}</text>`;
  const cell = ({ label, group }: Cell, x: number, y: number): string =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour(group)}"/>${text(x + width / 2, y, label)}`;
  const body = [
    ...heads.map((head, i) => text(left + width * (i + 0.5), 0, head)),
    ...rows.flatMap(({ head, cells }, r) => [
      text(left / 2, top + height * r, head),
      ...cells.map((c, i) => cell(c, left + width * i, top + height * r)),
    ]),
  ];
  const [w, h] = [left + width * heads.length + 1, top + height * rows.length + 1];
  const style = 'font-family="monospace" font-size="11" text-anchor="middle" stroke-width="0.5"';
  const rule = "<style>rect{stroke:#888}</style>";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" ${style}>\n${rule}\n${body.join("\n")}\n</svg>\n`;
}

/** Neighbours differ: steps of the golden angle. */
const colour = (group: number): string => `hsl(${Math.round((group * 137.508) % 360)} 65% ${group % 2 === 0 ? 82 : 74}%)`;

function tableOf(layout: LinearLayout, shape: Shape): Table {
  const holders = holdersOf(layout);
  const extents = layout.outputs.map(({ name, size }) => ({ name, size: Math.min(size, shape[name] ?? size) }));
  const across = extents.at(-1) ?? { name: "", size: 1 };
  const down = extents.slice(0, -1);
  const columns = Array.from({ length: across.size }, (_, i) => i);
  const rows = Array.from({ length: down.reduce((n, d) => n * d.size, 1) }, (_, r) =>
    digitsOf(
      down.map((d) => d.size),
      r,
    ),
  );
  const cells = (row: readonly number[]): Cell[] => columns.map((col) => cellOf(holders.get([...row, col].join()) ?? [], layout));
  return {
    heads: columns.map((c) => (c === 0 ? `${across.name} 0` : String(c))),
    rows: rows.map((row) => ({ head: row.map((x, i) => `${down[i]?.name} ${x}`).join(", "), cells: cells(row) })),
  };
}

type Place = Readonly<Record<string, number>>;

/** The places of each element, by its coordinates. */
function holdersOf(layout: LinearLayout): Map<string, Place[]> {
  const holders = new Map<string, Place[]>();
  const columns = columnsOf(layout);
  let packed = 0;
  for (const place of placesOf(inputExtents(layout))) {
    const element = Object.values(unpack(layout.outputs, times(columns, packed++))).join();
    holders.set(element, [...(holders.get(element) ?? []), place]);
  }
  return holders;
}

function cellOf(places: readonly Place[], layout: LinearLayout): Cell {
  const [first] = places;
  if (!first) return { label: "-", group: 0 };
  if (first.offset !== undefined) return { label: String(first.offset), group: Math.floor(first.offset / 16) };
  const thread = ({ warp = 0, lane = 0 }: Place): number =>
    2 ** (layout.inputs.find((d) => d.name === "lane")?.bases.length ?? 0) * warp + lane;
  const blocks = (layout.inputs.find((d) => d.name === "block")?.bases.length ?? 0) > 0;
  const label = (p: Place): string => `${blocks ? `B${p.block}.` : ""}T${thread(p)}:${p.register ?? 0}`;
  return { label: places.map(label).join("|"), group: thread(first) };
}
