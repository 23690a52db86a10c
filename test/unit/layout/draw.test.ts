import { expect, it } from "vitest";
import {
  apply,
  blocked,
  drawSvg,
  drawText,
  type LinearLayout,
  linear,
  slice,
  wgmmaAccumulator,
} from "../../../src/layout/index.ts";
import { rowMajor } from "../../layouts/shared-maps.ts";
import { points } from "./arbitrary.ts";

/** The cells of a table, by row and column. */
const cellsOf = (text: string): string[][] =>
  text
    .split("\n")
    .slice(1)
    .map((line) => (line.split(" | ")[1] ?? "").split(/ +/));

const layouts: Readonly<Record<string, LinearLayout>> = {
  blocked: blocked({ perThread: { row: 2, col: 2 }, threads: { row: 4, col: 8 }, warps: { row: 1, col: 2 } }),
  wgmma: wgmmaAccumulator({ cols: 16 }),
};

it.each(Object.keys(layouts))("%s: every element names its thread and register", (name) => {
  const layout = layouts[name] as LinearLayout;
  const cells = cellsOf(drawText(layout));
  const seen = points({ register: 2 ** layout.inputs[0]!.bases.length, lane: 32, warp: 2 ** layout.inputs[2]!.bases.length }).map(
    (place) => {
      const { row = 0, col = 0 } = apply(layout, place);
      return [cells[row]?.[col], `T${32 * (place.warp ?? 0) + (place.lane ?? 0)}:${place.register}`];
    },
  );
  expect(seen.filter(([found, expected]) => found !== expected)).toEqual([]);
  expect(cells.flat()).toHaveLength(seen.length);
});

it("names all holders of an element, what nobody holds, blocks, bytes", () => {
  expect(cellsOf(drawText(slice(wgmmaAccumulator({ cols: 8 }), "col")))[0]?.slice(0, 2)).toEqual([
    "T0:0|T1:0|T2:0|T3:0",
    "T4:0|T5:0|T6:0|T7:0",
  ]);
  expect(drawText(linear({ lane: [[2]] }, { row: 4 }))).toBe(" | row 0 1 2    3\n | T0:0  - T1:0 -");
  expect(cellsOf(drawText(linear({ register: [[1]], block: [[2]] }, { row: 4 })))[0]).toEqual([
    "B0.T0:0",
    "B0.T0:1",
    "B1.T0:0",
    "B1.T0:1",
  ]);
  expect(cellsOf(drawText(rowMajor({ row: 2, col: 4 }, 2)))).toEqual([
    ["0", "2", "4", "6"],
    ["8", "10", "12", "14"],
  ]);
});

it("leaves out what is not of the tile, and writes three dimensions as rows of the last", () => {
  const layout = rowMajor({ stage: 2, row: 4, col: 4 }, 1);
  const text = drawText(layout, { stage: 2, row: 3, col: 3 });
  expect(cellsOf(text)).toHaveLength(6);
  expect(text.split("\n").at(-1)).toBe("stage 1, row 2 | 24    25 26");
});

it("draws the same cells, each with a colour for those who share it", () => {
  const layout = wgmmaAccumulator({ cols: 8 });
  const svg = drawSvg(layout, { row: 16 });
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+" [^>]*>\n[\s\S]*<\/svg>\n$/);
  const cells = [...svg.matchAll(/<rect x="(\d+)" y="(\d+)"[^>]* fill="([^"]+)"\/><text [^>]*>([^<]+)<\/text>/g)];
  expect(cells.map(([, , , , label]) => label)).toEqual(cellsOf(drawText(layout, { row: 16 })).flat());
  expect(new Set(cells.map(([, x, y]) => `${x},${y}`)).size).toBe(128);
  const colours = new Map(cells.map(([, , , fill, label]) => [label?.split(":")[0], fill]));
  for (const [, , , fill, label] of cells) expect(colours.get(label?.split(":")[0])).toBe(fill);
  expect(new Set(colours.values()).size).toBe(32);
});
