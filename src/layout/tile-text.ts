/** Layouts of tiles as types print them. */
import { getOrMake } from "../base/get-or-make.ts";
import { layoutRank, type Spread, type TileLayout } from "./tile-kinds.ts";

const list = (numbers: readonly number[]): string => numbers.join("x");
const vectors = (bases: readonly (readonly number[])[]): string => bases.map((b) => `(${b.join(",")})`).join("") || "-";

/** As types print it: `wgmma`, `wgmma over 2`, `auto 4 at 0,1`, `slice 1 of wgmma over 2`, `blocked 1x4 of 8x4 of 4x1 order 1,0`. */
export function layoutText(layout: TileLayout): string {
  return getOrMake(texts, layout, () => textOf(layout));
}
const texts = new WeakMap<TileLayout, string>();

function textOf(layout: TileLayout): string {
  const over = "warpgroups" in layout && layout.warpgroups > 1 ? ` over ${layout.warpgroups}` : "";
  switch (layout.kind) {
    case "auto":
      return `auto ${layout.over} at ${layout.groups.join(",")}`;
    case "wgmma":
      return `wgmma${over}`;
    case "operand":
      return `operand ${layout.width}${over}`;
    case "metadata":
      return `metadata ${layout.bytes}${over}`;
    case "mma":
      return `mma ${list(layout.warps)}`;
    case "mma operand":
      return `mma ${layout.operand} ${layout.width} of ${list(layout.warps)}`;
    case "blocked":
      return `blocked ${list(layout.perThread)} of ${list(layout.threads)} of ${list(layout.warps)} order ${layout.order.join(",")}`;
    case "linear":
      return `linear ${list(layout.extents)} register ${vectors(layout.register)} lane ${vectors(layout.lane)} warp ${vectors(layout.warp)}`;
    case "slice":
      return `slice ${layout.axis} of ${layoutText(layout.of)}`;
  }
}

const numbers = (text: string, by: string): number[] => (text === "" ? [] : text.split(by).map(Number));
const readVectors = (text: string): number[][] => [...text.matchAll(/\(([^)]*)\)/g)].map(([, inner = ""]) => numbers(inner, ","));

/** A reader for each way to print a layout. */
const readers: readonly (readonly [RegExp, (groups: readonly string[]) => TileLayout | undefined])[] = [
  [/^wgmma(?: over (\d+))?$/, ([warpgroups]) => ({ kind: "wgmma", warpgroups: Number(warpgroups || 1) })],
  [
    /^operand ([124])(?: over (\d+))?$/,
    ([width, warpgroups]) => ({ kind: "operand", width: Number(width) as 1 | 2 | 4, warpgroups: Number(warpgroups || 1) }),
  ],
  [
    /^metadata ([12])(?: over (\d+))?$/,
    ([bytes, warpgroups]) => ({ kind: "metadata", bytes: Number(bytes) as 1 | 2, warpgroups: Number(warpgroups || 1) }),
  ],
  [/^mma (\d+)x(\d+)$/, ([m, n]) => ({ kind: "mma", warps: [Number(m), Number(n)] })],
  [
    /^mma ([AB]) ([124]) of (\d+)x(\d+)$/,
    ([operand, width, m, n]) => ({
      kind: "mma operand",
      operand: operand as "A" | "B",
      width: Number(width) as 1 | 2 | 4,
      warps: [Number(m), Number(n)],
    }),
  ],
  [
    /^blocked ([\dx]*) of ([\dx]*) of ([\dx]*) order ([\d,]*)$/,
    ([perThread = "", threads = "", warps = "", order = ""]) => ({
      kind: "blocked",
      perThread: numbers(perThread, "x"),
      threads: numbers(threads, "x"),
      warps: numbers(warps, "x"),
      order: numbers(order, ","),
    }),
  ],
  [
    /^linear ([\dx]*) register (\S+) lane (\S+) warp (\S+)$/,
    ([extents = "", register = "", lane = "", warp = ""]) => ({
      kind: "linear",
      register: readVectors(register),
      lane: readVectors(lane),
      warp: readVectors(warp),
      extents: numbers(extents, "x"),
    }),
  ],
  [
    /^slice (\d+) of (.*)$/,
    ([axis, of = ""]) => {
      const inner = readLayout(of, 0);
      return inner && { kind: "slice", axis: Number(axis), of: inner };
    },
  ],
];

/** The layout of a tile of that rank that is printed so; undefined where there is none. */
function readLayout(text: string, rank: number): TileLayout | undefined {
  const [, over, first, count] = /^auto (\d+) at (\d+),(\d+)$/.exec(text) ?? [];
  if (over !== undefined) return { kind: "auto", rank, over: Number(over), groups: [Number(first), Number(count)] };
  for (const [pattern, make] of readers) {
    const match = pattern.exec(text);
    if (match) return make(match.slice(1));
  }
  return undefined;
}

/** A tile of these extents whose layout is the one printed so; undefined where there is none. */
export function readSpread(shape: readonly number[], text: string): Spread | undefined {
  const layout = readLayout(text, shape.length);
  return layout && layoutRank(layout) === shape.length ? { shape, layout } : undefined;
}
