/**
 * Chooses how many of a thread's elements each access of a tile moves at once.
 *
 * Requires: the tile level.
 * Ensures: `access` of every tile.load and tile.store is chosen. "matrices": 16-bit elements of shared memory whose rows of eight begin at
 * multiples of 16 bytes go by ldmatrix and stmatrix. "pairs": two neighbouring columns lie side by side, and begin at a multiple of
 * their bytes. "elements": one by one, as those of a slice always do. What is known of where a view begins, in every iteration of the
 * loops around, comes from the facts.
 */
import {
  type Graph,
  isMatrix,
  isTile,
  isView,
  type MatrixType,
  type Op,
  type Region,
  type SharedViewType,
  type TensorDim,
  type TensorViewType,
  type Value,
  withParts,
} from "../../ir/index.ts";
import type { Layout } from "../../layout/modes.ts";
import { elementBytes } from "../../tensor-map.ts";
import { dimensionParts, type Facts, factsOf, keepFacts, type Part, type ViewParts } from "../facts/index.ts";
import { withBody, withOps, withRegions } from "../rewrite/rewrite.ts";

type Access = Op<"tile.load">["attrs"]["access"];

const divides = (n: number, part: Part | undefined): boolean => (part?.divisor ?? 1) % n === 0;

/** Do all runs of neighbouring columns, of every row and panel, begin at multiples of so many bytes from the first one? */
const runsBeginAt = (layout: Layout, bytes: number): boolean =>
  layout
    .flatMap((dimension, d) => (d === 1 ? dimension.slice(0, -1) : dimension))
    .every((m) => m.extent <= 1 || m.stride % bytes === 0);

function ofShared({ dtype, layout, align, space }: SharedViewType, parts: ViewParts): Access {
  const columns = layout[1]?.at(-1);
  const bytes = elementBytes[dtype];
  const beginsAt = (n: number): boolean => align % n === 0 && divides(n, parts[1]) && runsBeginAt(layout, n);
  const are = (count: number): boolean => columns?.stride === bytes && columns.extent % count === 0 && beginsAt(count * bytes);
  const isHalf = dtype === "f16" || dtype === "bf16";
  if (space === "shared" && isHalf && are(8)) return "matrices";
  return are(2) ? "pairs" : "elements";
}

const even = (n: number | undefined): boolean => n !== undefined && n % 2 === 0;

/** Are columns 2i and 2i + 1 of a tile that wide on the same side of the edge of the tensor, and of the part of it? */
function sameSide({ extent, limit }: TensorDim, begin: Part | undefined, columns: number): boolean {
  const from = begin?.key;
  const whole = extent !== undefined && extent >= columns && limit !== undefined;
  if (whole && typeof from === "number" && from >= 0 && from + columns <= limit) return true;
  return even(extent) && even(limit) && divides(2, begin);
}

/** Two neighbouring columns are one naturally aligned access. */
function ofTensor({ dtype, dims, align }: TensorViewType, parts: ViewParts, { shape: [, cols] }: MatrixType): Access {
  const [rowDim, colDim] = dims;
  if (!rowDim || !colDim) throw new TypeError("a tile has two dimensions");
  const bytes = 2 * elementBytes[dtype];
  const evenRows = rowDim.stride !== undefined && (rowDim.stride * elementBytes[dtype]) % bytes === 0;
  const fits = colDim.stride === 1 && bytes <= 16 && align % bytes === 0 && evenRows && divides(bytes, parts[1]);
  const begin = parts[dimensionParts.first + dimensionParts.count];
  return fits && sameSide(colDim, begin, cols) ? "pairs" : "elements";
}

function accessOf(facts: Facts, view: Value, tile: Value | undefined): Access {
  if (!isView(view.type) || !tile || !isTile(tile.type)) throw new TypeError("no access of a tile");
  if (!isMatrix(tile.type)) return "elements";
  const parts = facts.view(view);
  return view.type.space === "global" ? ofTensor(view.type, parts, tile.type) : ofShared(view.type, parts);
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
    return withParts(raw, { attrs: { ...op.attrs, access: accessOf(facts, op.operands.view, tile) } });
  });
  return withOps(region, ops);
}

export function vectorise(graph: Graph): Graph {
  const chosen = withBody(graph, choose(factsOf(graph), graph.body).ops);
  keepFacts(graph, chosen);
  return chosen;
}
