import { elementBytes } from "../../../base/element-types.ts";
import { both, compare, constant } from "../../../ir/arith.ts";
import type { Op } from "../../../ir/index.ts";
import { combine, load, store } from "./accesses.ts";
import { sharedAddress } from "./addresses.ts";
import { giveTiles } from "./elementwise.ts";
import { type Expand, tileOf } from "./expansion.ts";
import { isFirstHolder } from "./fragment.ts";
import { indexOffset, plus } from "./offset.ts";
import { sharedRuns } from "./shared-places.ts";
import { meet, rowMajorLayout, scratchView } from "./tile-exchange.ts";
import { elementsOf, tileType } from "./tiles.ts";

const counts: Expand<"tile.histogram"> = (x, op) => {
  const { w } = x;
  const { warpgroups: running } = op.attrs;
  const tile = tileOf(x, op.operands.tile);
  const to = tileType(op as Op);
  const [bins = 1] = to.shape;
  const { layout, bytes } = rowMajorLayout(to);
  const view = scratchView(x, tile.type, running, to.dtype, layout, bytes);
  const runs = sharedRuns(x, to, { view, divisor: elementBytes[to.dtype] }, running, { count: 1, dim: 0 });
  const own = elementsOf(w, tile);
  meet(x, tile.type, running);
  const owner = isFirstHolder(x, to, running);
  for (const { at } of runs) store(w, at, [constant(w, 0, "i32")], owner);
  meet(x, tile.type, running);
  const holder = isFirstHolder(x, tile.type, running);
  const how = { op: "add", scope: "cta", order: "relaxed" } as const;
  for (const value of own) {
    // A negative number is a large one without its sign.
    const plain = value.type === "u32" ? value : w.once("bitcast", { a: value }, {}, ["u32"]);
    const offset = plus(w, view.offset, indexOffset(w, layout[0] ?? [], value, "i32"));
    const at = { space: "shared", dtype: to.dtype, address: () => sharedAddress(w, view, offset) } as const;
    combine(w, at, [constant(w, 1, "i32")], how, both(w, holder, compare(w, "lt", plain, bins)));
  }
  meet(x, tile.type, running);
  giveTiles(x, op, [runs.map(({ at }) => load(w, at, 1)[0] ?? constant(w, 0, "i32"))]);
};

/** Counts lie in shared memory: all meet once they are zero, add one for each of their elements, meet, and read. */
export const histogramRules = { "tile.histogram": counts } as const;
