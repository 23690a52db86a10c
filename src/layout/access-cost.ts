/** What it takes to move a tile between registers and memory, as one warp's first instructions show it: all others are like them. */
import { offsetIn, swizzled } from "./modes/modes.ts";
import type { SharedPlaces, TileAccess } from "./tile-access.ts";
import { elementPlaces, linearLayout, repeatedLanes, repeatedWarps, type Spread } from "./tile-layout.ts";
import { wavefronts } from "./wavefronts.ts";

const counts = { elements: 1, pairs: 2, fours: 4, eights: 8, sixteens: 16 } as const;

/** Bytes of global memory that are fetched at once. */
const sectorBytes = 32;
/** Instructions that are looked at. */
const looked = 4;

type Place = readonly number[];

interface Instructions {
  /** Of each that is looked at, where its lanes begin. */
  readonly starts: readonly (readonly Place[])[];
  /** Of a thread. */
  readonly count: number;
}

/** The places at which the lanes of warp 0 begin. Lanes that hold what others hold have no part in a store. */
function instructionsOf(tile: Spread, { along }: TileAccess, width: number, isStore: boolean): Instructions {
  const dim = along ?? tile.shape.length - 1;
  const firsts = elementPlaces(tile).filter((place) => (place[dim] ?? 0) % width === 0);
  const bases = linearLayout(tile).inputs.find(({ name }) => name === "lane")?.bases ?? [];
  const repeated = isStore ? repeatedLanes(tile) : 0;
  let lanes: Place[] = [tile.shape.map(() => 0)];
  bases.forEach((basis, bit) => {
    if ((repeated & (2 ** bit)) === 0) lanes = lanes.concat(lanes.map((at) => at.map((n, d) => n ^ (basis[d] ?? 0))));
  });
  const starts = firsts.slice(0, looked).map((place) => lanes.map((at) => at.map((n, d) => n ^ (place[d] ?? 0))));
  return { starts, count: firsts.length };
}

/** Of warps that hold the same, one stores. */
function storingWarps(tile: Spread, isStore: boolean): number {
  if (!isStore) return 1;
  let share = 1;
  for (let bits = repeatedWarps(tile); bits > 0; bits &= bits - 1) share /= 2;
  return share;
}

interface Moving {
  readonly tile: Spread;
  readonly access: TileAccess;
  readonly elementBytes: number;
  readonly isStore: boolean;
}

/** The sum over the instructions of a warp, as the first ones have it; of what is stored, a warp's share. */
function perWarp({ tile, access, isStore }: Moving, width: number, cost: (starts: readonly Place[]) => number): number {
  const { starts, count } = instructionsOf(tile, access, width, isStore);
  if (starts.length === 0) return 0;
  const sum = starts.reduce((total, places) => total + cost(places), 0);
  return (sum / starts.length) * count * storingWarps(tile, isStore);
}

const widthOf = ({ access }: TileAccess): number => (access === "matrices" ? 8 : counts[access]);

/** How far apart elements are for which nobody knows it: none share a sector. */
const far = 2 ** 20;

/** Sectors of 32 bytes of global memory that a warp reaches, each as often as an instruction does. Strides in elements, undefined where nobody knows. */
export function sectorsOf(moving: Moving, strides: readonly (number | undefined)[]): number {
  const width = widthOf(moving.access);
  const { elementBytes } = moving;
  const offset = (place: Place): number => place.reduce((sum, n, d) => sum + n * (strides[d] ?? far * (d + 1)), 0) * elementBytes;
  return perWarp(moving, width, (places) => {
    const sectors = new Set<number>();
    for (const place of places) {
      const from = offset(place);
      for (let byte = 0; byte < width * elementBytes; byte += sectorBytes) sectors.add(Math.floor((from + byte) / sectorBytes));
    }
    return sectors.size;
  });
}

/** Wavefronts of shared memory of one warp. Those of ldmatrix and stmatrix have no conflicts where the view has none of eight rows. */
export function sharedWavefrontsOf(moving: Moving, view: SharedPlaces): number {
  const { tile, access, elementBytes } = moving;
  if (access.access === "matrices") return Math.ceil((elementPlaces(tile).length * elementBytes) / 4);
  const width = widthOf(access);
  const offset = (place: Place): number =>
    swizzled(
      place.reduce((sum, n, d) => sum + offsetIn(view.layout[d] ?? [], n), 0),
      view.swizzle,
    );
  return perWarp(moving, width, (places) => wavefronts(places.map(offset), width * elementBytes));
}
