/** How the elements of a tile lie in the registers of threads: what a tile's type says, and the linear map that it stands for. */
import { registersWithin } from "./fit.ts";
import type { LinearLayout } from "./linear-layout.ts";
import { wgmmaAccumulator } from "./matrix-fragments.ts";

/** As wgmma spreads its accumulators: over one warpgroup, or over neighbouring ones that share the rows evenly. PTX ISA 9.7.15.5.1. */
export interface WgmmaLayout {
  readonly kind: "wgmma";
  readonly warpgroups: number;
}

export type TileLayout = WgmmaLayout;

/** The shape of a tile, and how it lies. */
export interface Spread {
  readonly shape: readonly [rows: number, cols: number];
  readonly layout: TileLayout;
}

/** Rows that one warpgroup holds. */
export const rowsEach = ({ shape: [rows], layout }: Spread): number => rows / layout.warpgroups;

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

/** The element in each register of thread 0: each bit of a register moves those of the lower bits by what it adds. */
function registerPlaces({ inputs }: LinearLayout): readonly ElementPlace[] {
  const places: ElementPlace[] = [{ row: 0, col: 0 }];
  inputs
    .find((d) => d.name === "register")
    ?.bases.forEach(([down = 0, across = 0]) => {
      const count = places.length;
      for (let i = 0; i < count; i++) {
        const { row, col } = places[i] as ElementPlace;
        places.push({ row: row ^ down, col: col ^ across });
      }
    });
  return places;
}

function find(tile: Spread): Found {
  const [rows, cols] = [rowsEach(tile), tile.shape[1]];
  const key = `${rows}x${cols}`;
  let known = found.get(key);
  if (!known) {
    const linear = wgmmaAccumulator({ rows, cols });
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

/** As types print it: `wgmma`, `wgmma over 2`. */
export const layoutText = ({ kind, warpgroups }: TileLayout): string => (warpgroups === 1 ? kind : `${kind} over ${warpgroups}`);

export function readLayout(text: string): TileLayout | undefined {
  const [, kind, warpgroups = "1"] = /^(wgmma)(?: over (\d+))?$/.exec(text) ?? [];
  return kind === "wgmma" ? { kind, warpgroups: Number(warpgroups) } : undefined;
}
