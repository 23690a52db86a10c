/** How the elements of a tile move between registers and shared memory, and how many wavefronts that takes. */
import { apply, inputSize, type LinearLayout } from "./linear-layout.ts";
import { chunkBytes, type Dimension, type Layout, offsetIn, swizzled, type ViewSwizzle } from "./modes/modes.ts";
import {
  elementPlaces,
  elementRegisters,
  linearLayout,
  matrixDimension,
  neighbours,
  repeatedLanes,
  repeatedWarps,
  type Spread,
  warpgroupsOf,
} from "./tile-layout.ts";
import { wavefronts } from "./wavefronts.ts";

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

/** The dimension in which elements lie side by side, the last such one or -1, and whether they do so in aligned runs of a number. */
export function sharedRunsOf({ layout, swizzle, elementBytes, divisor }: SharedPlaces): {
  readonly along: number;
  readonly are: (count: number) => boolean;
} {
  const isDense = (dimension: Dimension): boolean => dimension.at(-1)?.stride === elementBytes;
  const along = layout.findLastIndex(isDense);
  const run = Math.min(layout[along]?.at(-1)?.extent ?? 1, chunkBytes(swizzle) / elementBytes);
  const beginsAt = (n: number): boolean => divisor % n === 0 && runsBeginAt(layout, along, n);
  return { along, are: (count) => along >= 0 && run % count === 0 && beginsAt(count * elementBytes) };
}

/** Which of the instructions that move matrices of 8 x 8 may move a tile. */
export interface MatrixMoves {
  /** It is loaded, where it lies as ldmatrix gives the operands of mma.sync. */
  readonly operands: boolean;
  /** It is an accumulator of wgmma, of elements of 16 bits, as stmatrix has them. */
  readonly accumulator: boolean;
}

export function sharedTileAccess(tile: Spread, view: SharedPlaces, { operands, accumulator }: MatrixMoves): TileAccess {
  const { elementBytes } = view;
  const { along, are } = sharedRunsOf(view);
  if (along < 0) return one;
  const side = operands ? matrixDimension(tile, elementBytes) : undefined;
  if (side !== undefined && (along === side || elementBytes === 2) && are(16 / elementBytes))
    return { access: "matrices", along: along === tile.shape.length - 1 ? undefined : along };
  if (accumulator && along === 1 && are(8)) return { access: "matrices", along: undefined };
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

/** For each instruction of a warp the places at which its lanes' bytes begin; undefined for a lane that takes no part. */
function instructions(
  tile: Spread,
  { access, along }: TileAccess,
  count: number,
  isStore: boolean,
): readonly (readonly (Place | undefined)[])[] {
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
        return given.map((lane): Place => [first + row + (lane & 15), col + (lane >> 4) * 8]);
      }),
    );
  }
  const registers = elementRegisters(tile).filter((_, i) => ((places[i] as Place)[dim] ?? 0) % count === 0);
  // What several hold, the first of them stores.
  const moves = (n: number, repeated: number): boolean => !isStore || (n & repeated) === 0;
  return warps
    .filter((warp) => moves(warp, repeatedWarps(tile)))
    .flatMap((warp) =>
      registers.map((register) =>
        lanes.map((lane) => (moves(lane, repeatedLanes(tile)) ? at({ register, lane, warp }) : undefined)),
      ),
    );
}

/** The lines of 16 bytes of which lanes give the addresses when they load an operand of mma.sync: from lane and warp to coordinates. */
export interface OperandLines {
  readonly layout: LinearLayout;
  /** 8 x 8 matrices at once. */
  readonly count: 1 | 2 | 4;
}

/**
 * Lane i gives the address of line i % 8 of matrix i / 8, and the matrices differ in the lowest bits of the register beyond a word's. `across`: the dimension
 * along which lines follow each other; `width`: elements of a word. PTX ISA 9.7.14.5.15.
 */
export function operandLines(tile: Spread, across: number, width: number): OperandLines {
  const { inputs, outputs } = linearLayout(tile);
  const registers = inputs.find((d) => d.name === "register")?.bases ?? [];
  const which = registers.slice(Math.log2(width), Math.log2(width) + 2);
  const still = tile.shape.map(() => 0);
  const lines = [1, 2, 4].map((line) => still.with(across, line));
  const bases = [...lines, ...which, ...Array.from({ length: 2 - which.length }, () => still)];
  const layout: LinearLayout = { inputs: [{ name: "lane", bases }, ...inputs.filter((d) => d.name === "warp")], outputs };
  return { layout, count: (2 ** which.length) as 1 | 2 | 4 };
}

/** For each ldmatrix of a warp the places at which its lines begin. */
function operandInstructions(tile: Spread, along: number, side: number, elementBytes: number): readonly (readonly Place[])[] {
  const width = 4 / elementBytes;
  const { layout, count } = operandLines(tile, along === side ? 1 - side : side, width);
  const starts = elementPlaces(tile).filter((_, i) => i % (count * width) === 0);
  const given = Array.from({ length: 8 * count }, (_, lane) => lane);
  return Array.from({ length: inputSize(layout, "warp") }, (_, warp) => warp).flatMap((warp) =>
    starts.map((start) =>
      given.map((lane) => {
        const at = apply(layout, { lane, warp });
        return start.map((n, d) => n ^ (at[`d${d}`] ?? 0));
      }),
    ),
  );
}

const counts = { elements: 1, pairs: 2, fours: 4, eights: 8, sixteens: 16, matrices: 8 } as const;

/** What the access of a tile takes that the compiler chooses. */
export function sharedTileCost(tile: Spread, view: SharedPlaces, accumulator: boolean, isStore: boolean): AccessCost {
  const chosen = sharedTileAccess(tile, view, { operands: !isStore, accumulator });
  const vectorBytes = chosen.access === "matrices" ? 16 : counts[chosen.access] * view.elementBytes;
  const offset = (place: Place): number =>
    swizzled(
      place.reduce((sum, n, d) => sum + offsetIn(view.layout[d] ?? [], n), 0),
      view.swizzle,
    );
  let [found, least] = [0, 0];
  const side = chosen.access === "matrices" ? matrixDimension(tile, view.elementBytes) : undefined;
  const all =
    side === undefined
      ? instructions(tile, chosen, counts[chosen.access], isStore)
      : operandInstructions(tile, chosen.along ?? 1, side, view.elementBytes);
  for (const places of all) {
    const addresses = places.map((place) => place && offset(place));
    found += wavefronts(addresses, vectorBytes);
    least += Math.max(1, (places.length * vectorBytes) / 128);
  }
  const groups = warpgroupsOf(tile);
  const [instructionCount, total] = [all.length * groups, found * groups];
  return { vectorBytes, instructions: instructionCount, wavefronts: total, conflicts: total - least * groups };
}
