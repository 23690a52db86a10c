/** How the elements of a tile move between registers and shared memory, and how many wavefronts that takes. */
import { apply, inputSize } from "./linear-layout.ts";
import { chunkBytes, type Dimension, type Layout, offsetIn, swizzled, type ViewSwizzle } from "./modes.ts";
import { wavefronts } from "./shared-access.ts";
import {
  elementPlaces,
  elementRegisters,
  linearLayout,
  neighbours,
  repeatedLanes,
  repeatedWarps,
  type Spread,
  warpgroupsOf,
} from "./tile-layout.ts";

/** How many of a thread's elements move at once, along which dimension, the last one where none is named. */
export interface TileAccess {
  readonly access: "elements" | "pairs" | "fours" | "eights" | "sixteens" | "matrices";
  readonly along: number | undefined;
}

const widths = [
  [16, "sixteens"],
  [8, "eights"],
  [4, "fours"],
  [2, "pairs"],
] as const;
const one: TileAccess = { access: "elements", along: undefined };

/** So many neighbours at once, for the greatest number that each thread has of the tile along `d` and that `are` allows. */
export function neighboursAtOnce(tile: Spread, bytes: number, d: number, are: (count: number) => boolean): TileAccess {
  const most = neighbours(tile, d, 16 / bytes);
  const found = widths.find(([count]) => count <= most && are(count));
  return found ? { access: found[1], along: d === tile.shape.length - 1 ? undefined : d } : one;
}

/** A view of shared memory: where its elements lie, and what surely divides the byte at which it begins. */
export interface SharedPlaces {
  readonly layout: Layout;
  readonly swizzle: ViewSwizzle;
  readonly elementBytes: number;
  readonly divisor: number;
}

/** Do all runs of neighbours along a dimension, of every panel of it and every row, begin at multiples of so many bytes from the first one? */
const runsBeginAt = (layout: Layout, along: number, bytes: number): boolean =>
  layout
    .flatMap((dimension, d) => (d === along ? dimension.slice(0, -1) : dimension))
    .every((m) => m.extent <= 1 || m.stride % bytes === 0);

/** `byMatrix`: the tile lies as ldmatrix and stmatrix have it, and may be moved by them. */
export function sharedTileAccess(
  tile: Spread,
  { layout, swizzle, elementBytes, divisor }: SharedPlaces,
  byMatrix: boolean,
): TileAccess {
  const isDense = (dimension: Dimension): boolean => dimension.at(-1)?.stride === elementBytes;
  const along = layout.findLastIndex(isDense);
  if (along < 0) return one;
  const run = Math.min(layout[along]?.at(-1)?.extent ?? 1, chunkBytes(swizzle) / elementBytes);
  const beginsAt = (n: number): boolean => divisor % n === 0 && runsBeginAt(layout, along, n);
  const are = (count: number): boolean => run % count === 0 && beginsAt(count * elementBytes);
  if (byMatrix && along === 1 && are(8)) return { access: "matrices", along: undefined };
  return neighboursAtOnce(tile, elementBytes, along, are);
}

/** What moving a whole tile takes, all warps that hold it together. */
export interface AccessCost {
  /** Of one lane in one instruction. */
  readonly vectorBytes: number;
  readonly instructions: number;
  readonly wavefronts: number;
  /** Wavefronts beyond those that as many bytes without a conflict take. */
  readonly conflicts: number;
}

/** The place of an element in a tile. */
type Place = readonly number[];

/** For each instruction of a warp the places at which its lanes' bytes begin. */
function instructions(
  tile: Spread,
  { access, along }: TileAccess,
  count: number,
  isStore: boolean,
): readonly (readonly Place[])[] {
  const map = linearLayout(tile);
  const places = elementPlaces(tile);
  const dim = along ?? tile.shape.length - 1;
  const warps = Array.from({ length: inputSize(map, "warp") }, (_, warp) => warp);
  const lanes = Array.from({ length: 32 }, (_, lane) => lane);
  const at = (point: Readonly<Record<string, number>>): Place => {
    const known = Object.fromEntries(Object.entries(point).filter(([name]) => map.inputs.some((d) => d.name === name)));
    const coordinates = apply(map, known);
    return tile.shape.map((_, d) => coordinates[`d${d}`] ?? 0);
  };
  if (access === "matrices") {
    const [, cols = 0] = tile.shape;
    const steps = places.filter(([row = 0, col = 0]) => row % 16 === 0 && col % 16 === 0);
    return warps.flatMap((warp) =>
      steps.map(([row = 0, col = 0]) => {
        const [first = 0] = at({ register: 0, lane: 0, warp });
        const given = col + 16 <= cols ? lanes : lanes.slice(0, 16);
        return given.map((lane) => [first + row + (lane & 15), col + (lane >> 4) * 8]);
      }),
    );
  }
  const registers = elementRegisters(tile).filter((_, i) => ((places[i] as Place)[dim] ?? 0) % count === 0);
  const holders = (all: readonly number[], repeated: number): readonly number[] =>
    isStore ? all.filter((n) => (n & repeated) === 0) : all;
  return holders(warps, repeatedWarps(tile)).flatMap((warp) =>
    registers.map((register) => holders(lanes, repeatedLanes(tile)).map((lane) => at({ register, lane, warp }))),
  );
}

const counts = { elements: 1, pairs: 2, fours: 4, eights: 8, sixteens: 16, matrices: 8 } as const;

/** What the access of a tile takes that the compiler chooses. */
export function sharedTileCost(tile: Spread, view: SharedPlaces, byMatrix: boolean, isStore: boolean): AccessCost {
  const chosen = sharedTileAccess(tile, view, byMatrix);
  const vectorBytes = counts[chosen.access] * view.elementBytes;
  const offset = (place: Place): number =>
    swizzled(
      place.reduce((sum, n, d) => sum + offsetIn(view.layout[d] ?? [], n), 0),
      view.swizzle,
    );
  let [found, least] = [0, 0];
  const all = instructions(tile, chosen, counts[chosen.access], isStore);
  for (const places of all) {
    const addresses = places.map(offset);
    found += wavefronts(addresses, vectorBytes);
    least += Math.max(1, (places.length * vectorBytes) / 128);
  }
  const groups = warpgroupsOf(tile);
  const [instructionCount, total] = [all.length * groups, found * groups];
  return { vectorBytes, instructions: instructionCount, wavefronts: total, conflicts: total - least * groups };
}
