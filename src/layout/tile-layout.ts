/** How the elements of a tile lie in the registers of threads: what a tile's type says, and the linear map that it stands for. */
import { registersWithin, slice } from "./fit.ts";
import type { LinearLayout } from "./linear-layout.ts";
import { wgmmaAccumulator } from "./matrix-fragments.ts";

/** As wgmma spreads its accumulators: over one warpgroup, or over neighbouring ones that share the rows evenly. PTX ISA 9.7.15.5.1. */
export interface WgmmaLayout {
  readonly kind: "wgmma";
  readonly warpgroups: number;
}

/**
 * What a reduction along one axis of a matrix leaves: threads that differed only in it hold the same. How far the matrix went along it
 * makes no difference.
 */
export interface SliceLayout {
  readonly kind: "slice";
  readonly axis: 0 | 1;
  readonly of: WgmmaLayout;
}

export type TileLayout = WgmmaLayout | SliceLayout;

/** The shape of a matrix, and how it lies. */
export interface MatrixSpread {
  readonly shape: readonly [rows: number, cols: number];
  readonly layout: WgmmaLayout;
}

/** The extent of what is left of a matrix, and how it lies. */
export interface SliceSpread {
  readonly shape: readonly [extent: number];
  readonly layout: SliceLayout;
}

/** The shape of a tile, and how it lies. */
export type Spread = MatrixSpread | SliceSpread;

const isSlice = (tile: Spread): tile is SliceSpread => tile.layout.kind === "slice";

/** What is left of a matrix along an axis. */
export const sliceOf = ({ shape, layout }: MatrixSpread, axis: 0 | 1): SliceSpread => ({
  shape: [shape[1 - axis] ?? 0],
  layout: { kind: "slice", axis, of: layout },
});

/** The matrix that the tile is, or the smallest one that it may be a slice of. */
function matrixOf(tile: Spread): MatrixSpread {
  if (!isSlice(tile)) return tile;
  const {
    shape: [extent],
    layout: { axis, of },
  } = tile;
  return { shape: axis === 1 ? [extent, 8] : [64 * of.warpgroups, extent], layout: of };
}

/** The warpgroups that share a tile. */
export const warpgroupsOf = (tile: Spread): number => matrixOf(tile).layout.warpgroups;

/** Rows and columns of the tile; a slice has one row or one column. */
export function extentsOf(tile: Spread): readonly [rows: number, cols: number] {
  if (!isSlice(tile)) return tile.shape;
  return tile.layout.axis === 1 ? [tile.shape[0], 1] : [1, tile.shape[0]];
}

/** Rows of the tile that one warpgroup holds; of a slice that has columns alone, those of the smallest matrix. */
export function rowsEach(tile: Spread): number {
  const { shape, layout } = matrixOf(tile);
  return shape[0] / layout.warpgroups;
}

/** An element of a tile. */
export interface ElementPlace {
  readonly row: number;
  readonly col: number;
}

/** What is asked for of each layout again and again, by rows of a warpgroup and columns. */
interface Found {
  readonly linear: LinearLayout;
  readonly places: readonly ElementPlace[];
}
const found = new Map<string, Found>();

const axes = ["row", "col"] as const;
const nameOf = (axis: 0 | 1): (typeof axes)[number] => axes[axis];

/** The element in each register of thread 0: each bit of a register moves those of the lower bits by what it adds. */
function registerPlaces({ inputs, outputs }: LinearLayout): readonly ElementPlace[] {
  const [down, across] = axes.map((name) => outputs.findIndex((d) => d.name === name));
  const places: ElementPlace[] = [{ row: 0, col: 0 }];
  inputs
    .find((d) => d.name === "register")
    ?.bases.forEach((basis) => {
      const count = places.length;
      for (let i = 0; i < count; i++) {
        const { row, col } = places[i] as ElementPlace;
        places.push({ row: row ^ (basis[down ?? -1] ?? 0), col: col ^ (basis[across ?? -1] ?? 0) });
      }
    });
  return places;
}

function find(tile: Spread): Found {
  const [rows, cols] = [rowsEach(tile), matrixOf(tile).shape[1]];
  const key = `${isSlice(tile) ? tile.layout.axis : ""} ${rows}x${cols}`;
  let known = found.get(key);
  if (!known) {
    const whole = wgmmaAccumulator({ rows, cols });
    const linear = isSlice(tile) ? slice(whole, nameOf(tile.layout.axis)) : whole;
    const all = registerPlaces(linear);
    const places = registersWithin(linear, { row: rows, col: cols }).map((register) => all[register] as ElementPlace);
    known = { linear, places };
    found.set(key, known);
  }
  return known;
}

/** The part of one warpgroup: from register, lane and warp to row and col. */
export const linearLayout = (tile: Spread): LinearLayout => find(tile).linear;

/** The elements that a thread holds, in the order of its registers, from its first one. */
export const elementPlaces = (tile: Spread): readonly ElementPlace[] => find(tile).places;

export const elementsPerThread = (tile: Spread): number => elementPlaces(tile).length;

/** Which threads have parts of one row, or of one column. */
export interface Sharers {
  /** Lanes whose numbers differ in these bits, each a power of two, and in nothing else. */
  readonly lanes: readonly number[];
  /** Whether other warps have parts of it, too. */
  readonly warps: boolean;
}

/** Who shares what a reduction along that axis combines. RangeError where a lane's bit moves along both axes. */
export function sharersAlong(tile: MatrixSpread, axis: 0 | 1): Sharers {
  const { inputs, outputs } = linearLayout(tile);
  const at = outputs.findIndex((d) => d.name === nameOf(axis));
  const basesOf = (name: string): LinearLayout["inputs"][number]["bases"] => inputs.find((d) => d.name === name)?.bases ?? [];
  const moves = (basis: readonly number[]): boolean => (basis[at] ?? 0) !== 0;
  const lanes = basesOf("lane").flatMap((basis, bit) => (moves(basis) ? [{ basis, mask: 2 ** bit }] : []));
  if (lanes.some(({ basis }) => basis.some((x, d) => d !== at && x !== 0)))
    throw new RangeError("Lanes that share a row differ in nothing but the column.");
  const warps = basesOf("warp").some(moves) || (axis === 0 && tile.layout.warpgroups > 1);
  return { lanes: lanes.map((l) => l.mask), warps };
}

/** The bits of a lane's number that make no difference to what it holds. */
export function repeatedLanes(tile: Spread): number {
  const lanes = linearLayout(tile).inputs.find((d) => d.name === "lane")?.bases ?? [];
  return lanes.reduce((mask, basis, bit) => (basis.every((x) => x === 0) ? mask + 2 ** bit : mask), 0);
}

/** As types print it: `wgmma`, `wgmma over 2`, `slice 1 of wgmma over 2`. */
export function layoutText(layout: TileLayout): string {
  if (layout.kind === "slice") return `slice ${layout.axis} of ${layoutText(layout.of)}`;
  return layout.warpgroups === 1 ? layout.kind : `${layout.kind} over ${layout.warpgroups}`;
}

function readWgmma(text: string): WgmmaLayout | undefined {
  const [, kind, warpgroups = "1"] = /^(wgmma)(?: over (\d+))?$/.exec(text) ?? [];
  return kind === "wgmma" ? { kind, warpgroups: Number(warpgroups) } : undefined;
}

/** A tile of these extents whose layout is the one printed so; undefined where there is none. */
export function readSpread([extent, cols, ...more]: readonly number[], text: string): Spread | undefined {
  const [, axis, of = text] = /^slice ([01]) of (.*)$/.exec(text) ?? [];
  const layout = readWgmma(of);
  if (!layout || extent === undefined || more.length > 0 || (axis === undefined) !== (cols !== undefined)) return undefined;
  if (cols !== undefined) return { shape: [extent, cols], layout };
  return { shape: [extent], layout: { kind: "slice", axis: axis === "1" ? 1 : 0, of: layout } };
}
