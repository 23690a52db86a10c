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

import { elementBytes } from "../../base/element-types.ts";
import { type Graph, isTile, isView, type Op, type Region, withParts } from "../../ir/index.ts";
import { sharedRunsOf } from "../../layout/index.ts";
import { shapeOf } from "../../layout/modes/index.ts";
import { fail } from "../errors.ts";
import { type Facts, factsOf, keepFacts } from "../facts/index.ts";
import { withBody, withOps, withRegions } from "../rewrite/rewrite.ts";
import { accessIn, accessOf, movedBy, placesOf, tensorRunsOf } from "./tile-accesses.ts";

/** How a tile goes by `cp.async`. */
type Pieces = Pick<Op<"copy.async">["attrs"], "bytes" | "along">;

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
    const op = accessIn(raw);
    if (!op) return raw;
    const tile = movedBy(op);
    if (!isTile(tile.type)) throw new TypeError("no access of a tile");
    return withParts(raw, { attrs: { ...op.attrs, ...accessOf(facts, op, tile.type) } });
  });
  return withOps(region, ops);
}

export function vectorise(graph: Graph): Graph {
  const chosen = withBody(graph, choose(factsOf(graph), graph.body).ops);
  keepFacts(graph, chosen);
  return chosen;
}
