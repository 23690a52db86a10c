/**
 * Chooses how many of a thread's elements each access of a tile moves at once.
 *
 * Requires: the tile level.
 * Ensures: `bytes` of every copy.async, and `access` of every tile.load, tile.store and tile.combine, is chosen. "matrices": 16-bit elements of shared memory whose rows of eight begin at
 * multiples of 16 bytes go by ldmatrix and stmatrix, where they lie as those have them; so do operands of products of warps, of any type of up to 32 bits
 * where they lie side by side along K. "pairs", "fours", …: so many neighbours along a
 * dimension, which each thread has all of, lie side by side, and begin at a multiple of their bytes, which are 16 at most. "elements": one by one. What is
 * known of where a view begins, in every iteration of the loops around, comes from the facts. W3031, W3032.
 */
import { fail } from "../../diag/index.ts";
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
import { shapeOf } from "../../layout/modes.ts";
import {
  neighboursAtOnce,
  type SharedPlaces,
  sharedRunsOf,
  sharedTileAccess,
  type TileAccess,
} from "../../layout/tile-access.ts";
import { elementBytes } from "../../tensor-map.ts";
import { dimensionParts, type Facts, factsOf, keepFacts, type Part, type ViewParts } from "../facts/index.ts";
import { withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

/** How a tile goes by `cp.async`. */
type Pieces = Pick<Op<"copy.async">["attrs"], "bytes" | "along">;

/** The greatest power of two up to 16 that divides both. */
const commonPower = (a: number, b: number): number => [16, 8, 4, 2].find((n) => a % n === 0 && b % n === 0) ?? 1;

const divides = (n: number, part: Part | undefined): boolean => (part?.divisor ?? 1) % n === 0;

const placesOf = ({ dtype, layout, swizzle, align }: SharedViewType, parts: ViewParts): SharedPlaces => {
  const divisor = commonPower(align, parts[1]?.divisor ?? 1);
  return { layout, swizzle, elementBytes: elementBytes[dtype], divisor };
};

function ofShared(type: SharedViewType, parts: ViewParts, tile: TileType, isLoad: boolean): TileAccess {
  const { dtype, space } = type;
  const own = space === "shared";
  const isHalf = dtype === "f16" || dtype === "bf16";
  return sharedTileAccess(tile, placesOf(type, parts), { operands: own && isLoad, accumulator: own && isHalf && isMatrix(tile) });
}

const isMultiple = (n: number | undefined, of: number): boolean => n !== undefined && n % of === 0;

/** Are so many neighbours of a tile that wide on the same side of the edge of the tensor, and of the part of it? */
function sameSide({ extent, limit }: TensorDim, begin: Part | undefined, width: number, count: number): boolean {
  const from = begin?.key;
  const whole = extent !== undefined && extent >= width && limit !== undefined;
  if (whole && typeof from === "number" && from >= 0 && from + width <= limit) return true;
  return isMultiple(extent, count) && isMultiple(limit, count) && divides(count, begin);
}

/** The dimension in which elements of a part of a tensor lie side by side; whether so many of them begin where one access can, and lie on the same side of the edge. */
function tensorRunsOf(
  { dtype, dims, align }: TensorViewType,
  parts: ViewParts,
  width: (along: number) => number,
): { readonly along: number; readonly begin: (count: number) => boolean; readonly together: (count: number) => boolean } {
  const along = dims.findLastIndex(({ stride }) => stride === 1);
  const dim = dims[along];
  const from = parts[dimensionParts.first + along * dimensionParts.count];
  return {
    along,
    begin: (count) => {
      const bytes = count * elementBytes[dtype];
      const others = dims.every(({ stride }, d) => d === along || isMultiple(stride, count));
      return align % bytes === 0 && others && divides(bytes, parts[1]);
    },
    together: (count) => dim !== undefined && sameSide(dim, from, width(along), count),
  };
}

/** Neighbours are one naturally aligned access. */
function ofTensor(type: TensorViewType, parts: ViewParts, tile: TileType, unmasked: boolean): TileAccess {
  const { along, begin, together } = tensorRunsOf(type, parts, (d) => tile.shape[d] ?? 1);
  if (along < 0) return { access: "elements", along: undefined };
  return neighboursAtOnce(tile, elementBytes[type.dtype], along, (count) => begin(count) && (unmasked || together(count)));
}

/** Neighbours that are combined at once: of f32 sums of 2 and 4, of f16 and bf16 of 2, 4 and 8, and in shared memory none. */
function combinedAtOnce(facts: Facts, { operands: { tile, view }, attrs }: Op<"tile.combine">): TileAccess {
  if (!isTile(tile.type) || !isView(view.type)) throw new TypeError("no tile and view");
  const { dtype } = tile.type;
  const vectors = dtype === "f16" || dtype === "bf16" || (dtype === "f32" && attrs.op === "add");
  return vectors && view.type.space === "global"
    ? ofTensor(view.type, facts.view(view), tile.type, attrs.unmasked === true)
    : { access: "elements", along: undefined };
}

/** The largest pieces in which a tile goes from global to shared memory by `cp.async`. W3031, W3032. */
function piecesOf(facts: Facts, { operands: { dst, src }, attrs, spans }: Op<"copy.async">): Pieces {
  if (!isView(dst.type) || dst.type.space === "global" || !isView(src.type) || src.type.space !== "global")
    throw new TypeError("no copy from global to shared memory");
  const { dtype, layout } = dst.type;
  const size = elementBytes[dtype];
  const shape = shapeOf(layout);
  const to = sharedRunsOf(placesOf(dst.type, facts.view(dst)));
  const from = tensorRunsOf(src.type, facts.view(src), (d) => shape[d] ?? 1);
  const { along } = from;
  const side = along === to.along && along >= 0;
  const fits = (count: number): boolean =>
    count === 1 || (side && (shape[along] ?? 1) % count === 0 && to.are(count) && from.begin(count));
  const whole = (count: number): boolean => count === 1 || attrs.unmasked === true || from.together(count);
  const counts = [16, 8, 4].map((bytes) => bytes / size).filter((count) => count >= 1);
  const count = counts.find((n) => fits(n) && whole(n));
  const least = 4 / size;
  if (count === undefined) {
    const why = !side
      ? "the elements that are neighbours in the tensor are not neighbours in the view"
      : (shape[along] ?? 1) % least !== 0 || !to.are(least)
        ? "the view's rows do not surely begin at multiples of 4 bytes"
        : !from.begin(least)
          ? "the rows of this part of the tensor do not surely begin at multiples of 4 bytes"
          : "the edge of the tensor may lie between the elements of 4 bytes";
    return fail("W3031", { dtype, why }, spans);
  }
  const bytes = count * size;
  if (attrs.cache === "cg" && bytes !== 16) fail("W3032", { bytes }, spans);
  return { bytes: bytes as Pieces["bytes"], along: along < 0 ? shape.length - 1 : along };
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
    if (raw.name === "copy.async") {
      const copy = raw as Op as Op<"copy.async">;
      return withParts(raw, { attrs: { ...copy.attrs, ...piecesOf(facts, copy) } });
    }
    if (raw.name === "tile.combine") {
      const op = raw as Op as Op<"tile.combine">;
      return withParts(raw, { attrs: { ...op.attrs, ...combinedAtOnce(facts, op) } });
    }
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
