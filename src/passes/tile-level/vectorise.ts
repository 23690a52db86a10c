/**
 * Chooses how many of a thread's elements each access of a tile moves at once.
 *
 * Requires: the tile level.
 * Ensures: `access` of every tile.load and tile.store is chosen. "matrices": 16-bit elements of shared memory whose rows of eight begin at
 * multiples of 16 bytes go by ldmatrix and stmatrix, where they lie as those have them; so do operands of products of warps, of any type of up to 32 bits
 * where they lie side by side along K. "pairs", "fours", …: so many neighbours along a
 * dimension, which each thread has all of, lie side by side, and begin at a multiple of their bytes, which are 16 at most. "elements": one by one. What is
 * known of where a view begins, in every iteration of the loops around, comes from the facts.
 */
import {
  type Graph,
  isMatrix,
  isTile,
  isView,
  type Op,
  type Region,
  type SharedViewType,
  type TensorDim,
  type TensorViewType,
  type TileType,
  type Value,
  withParts,
} from "../../ir/index.ts";
import type { Dimension, Layout } from "../../layout/modes.ts";
import { matrixDimension, neighbours } from "../../layout/tile-layout.ts";
import { elementBytes } from "../../tensor-map.ts";
import { dimensionParts, type Facts, factsOf, keepFacts, type Part, type ViewParts } from "../facts/index.ts";
import { withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

/** How the elements of a tile move. */
type Access = Pick<Op<"tile.load">["attrs"], "access" | "along">;

const widths = [
  [16, "sixteens"],
  [8, "eights"],
  [4, "fours"],
  [2, "pairs"],
] as const;
const one: Access = { access: "elements", along: undefined };

/** So many neighbours at once, for the greatest number that each thread has of the tile along `d` and that `are` allows. */
function neighboursAtOnce(tile: TileType, d: number, are: (count: number) => boolean): Access {
  const most = neighbours(tile, d, 16 / elementBytes[tile.dtype]);
  const found = widths.find(([count]) => count <= most && are(count));
  return found ? { access: found[1], along: d === tile.shape.length - 1 ? undefined : d } : one;
}

const divides = (n: number, part: Part | undefined): boolean => (part?.divisor ?? 1) % n === 0;

/** Do all runs of neighbours along a dimension, of every panel of it and every row, begin at multiples of so many bytes from the first one? */
const runsBeginAt = (layout: Layout, along: number, bytes: number): boolean =>
  layout
    .flatMap((dimension, d) => (d === along ? dimension.slice(0, -1) : dimension))
    .every((m) => m.extent <= 1 || m.stride % bytes === 0);

function ofShared({ dtype, layout, align, space }: SharedViewType, parts: ViewParts, tile: TileType): Access {
  const bytes = elementBytes[dtype];
  const isDense = (dimension: Dimension): boolean => dimension.at(-1)?.stride === bytes;
  const along = layout.findLastIndex(isDense);
  if (along < 0) return one;
  const run = layout[along]?.at(-1)?.extent ?? 1;
  const beginsAt = (n: number): boolean => align % n === 0 && divides(n, parts[1]) && runsBeginAt(layout, along, n);
  const are = (count: number): boolean => run % count === 0 && beginsAt(count * bytes);
  const isHalf = dtype === "f16" || dtype === "bf16";
  const side = space === "shared" ? matrixDimension(tile, bytes) : undefined;
  if (side !== undefined && (along === side || bytes === 2) && are(16 / bytes))
    return { access: "matrices", along: along === tile.shape.length - 1 ? undefined : along };
  if (space === "shared" && isHalf && along === 1 && isMatrix(tile) && are(8)) return { access: "matrices", along: undefined };
  return neighboursAtOnce(tile, along, are);
}

const isMultiple = (n: number | undefined, of: number): boolean => n !== undefined && n % of === 0;

/** Are so many neighbours of a tile that wide on the same side of the edge of the tensor, and of the part of it? */
function sameSide({ extent, limit }: TensorDim, begin: Part | undefined, width: number, count: number): boolean {
  const from = begin?.key;
  const whole = extent !== undefined && extent >= width && limit !== undefined;
  if (whole && typeof from === "number" && from >= 0 && from + width <= limit) return true;
  return isMultiple(extent, count) && isMultiple(limit, count) && divides(count, begin);
}

/** Neighbours are one naturally aligned access. */
function ofTensor({ dtype, dims, align }: TensorViewType, parts: ViewParts, tile: TileType, unmasked: boolean): Access {
  const along = dims.findLastIndex(({ stride }) => stride === 1);
  const dim = dims[along];
  if (!dim) return one;
  const begin = parts[dimensionParts.first + along * dimensionParts.count];
  return neighboursAtOnce(tile, along, (count) => {
    const bytes = count * elementBytes[dtype];
    const others = dims.every(({ stride }, d) => d === along || isMultiple(stride, count));
    const fits = align % bytes === 0 && others && divides(bytes, parts[1]);
    return fits && (unmasked || sameSide(dim, begin, tile.shape[along] ?? 1, count));
  });
}

function accessOf(facts: Facts, { operands: { view }, attrs }: Op<"tile.load">, tile: Value | undefined): Access {
  if (!isView(view.type) || !tile || !isTile(tile.type)) throw new TypeError("no access of a tile");
  const parts = facts.view(view);
  if (view.type.space === "global") return ofTensor(view.type, parts, tile.type, attrs.unmasked === true);
  return ofShared(view.type, parts, tile.type);
}

function choose(facts: Facts, region: Region): Region {
  const ops = region.ops.map((raw): Op => {
    if (raw.regions.length > 0)
      return withRegions(
        raw,
        raw.regions.map((r) => choose(facts, r)),
      );
    if (raw.name !== "tile.load" && raw.name !== "tile.store") return raw;
    const op = raw as Op as Op<"tile.load"> | Op<"tile.store">;
    const tile = op.name === "tile.load" ? op.results[0] : op.operands.tile;
    return withParts(raw, { attrs: { ...op.attrs, ...accessOf(facts, op as Op<"tile.load">, tile) } });
  });
  return withOps(region, ops);
}

export function vectorise(graph: Graph): Graph {
  const chosen = withBody(graph, choose(factsOf(graph), graph.body).ops);
  keepFacts(graph, chosen);
  return chosen;
}
