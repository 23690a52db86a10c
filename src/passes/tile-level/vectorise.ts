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
import { neighboursAtOnce, sharedTileAccess, type TileAccess } from "../../layout/tile-access.ts";
import { elementBytes } from "../../tensor-map.ts";
import { dimensionParts, type Facts, factsOf, keepFacts, type Part, type ViewParts } from "../facts/index.ts";
import { withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

/** The greatest power of two up to 16 that divides both. */
const commonPower = (a: number, b: number): number => [16, 8, 4, 2].find((n) => a % n === 0 && b % n === 0) ?? 1;

const divides = (n: number, part: Part | undefined): boolean => (part?.divisor ?? 1) % n === 0;

function ofShared(
  { dtype, layout, swizzle, align, space }: SharedViewType,
  parts: ViewParts,
  tile: TileType,
  isLoad: boolean,
): TileAccess {
  const divisor = commonPower(align, parts[1]?.divisor ?? 1);
  const own = space === "shared";
  const isHalf = dtype === "f16" || dtype === "bf16";
  const view = { layout, swizzle, elementBytes: elementBytes[dtype], divisor };
  return sharedTileAccess(tile, view, { operands: own && isLoad, accumulator: own && isHalf && isMatrix(tile) });
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
function ofTensor({ dtype, dims, align }: TensorViewType, parts: ViewParts, tile: TileType, unmasked: boolean): TileAccess {
  const along = dims.findLastIndex(({ stride }) => stride === 1);
  const dim = dims[along];
  if (!dim) return { access: "elements", along: undefined };
  const begin = parts[dimensionParts.first + along * dimensionParts.count];
  return neighboursAtOnce(tile, elementBytes[dtype], along, (count) => {
    const bytes = count * elementBytes[dtype];
    const others = dims.every(({ stride }, d) => d === along || isMultiple(stride, count));
    const fits = align % bytes === 0 && others && divides(bytes, parts[1]);
    return fits && (unmasked || sameSide(dim, begin, tile.shape[along] ?? 1, count));
  });
}

function accessOf(
  facts: Facts,
  { name, operands: { view }, attrs }: Op<"tile.load"> | Op<"tile.store">,
  tile: Value | undefined,
): TileAccess {
  if (!isView(view.type) || !tile || !isTile(tile.type)) throw new TypeError("no access of a tile");
  const parts = facts.view(view);
  if (view.type.space === "global") return ofTensor(view.type, parts, tile.type, attrs.unmasked === true);
  return ofShared(view.type, parts, tile.type, name === "tile.load");
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
    return withParts(raw, { attrs: { ...op.attrs, ...accessOf(facts, op, tile) } });
  });
  return withOps(region, ops);
}

export function vectorise(graph: Graph): Graph {
  const chosen = withBody(graph, choose(factsOf(graph), graph.body).ops);
  keepFacts(graph, chosen);
  return chosen;
}
