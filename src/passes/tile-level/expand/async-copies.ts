import { elementBytes } from "../../../base/element-types.ts";
import { constant } from "../../../ir/arith.ts";
import type { TileType } from "../../../ir/index.ts";
import { coalescedIn } from "../../../layout/index.ts";
import { shapeOf } from "../../../layout/modes/index.ts";
import { placed } from "./accessed.ts";
import { sharedAddress, tensorAddress } from "./addresses.ts";
import { type Expand, refuse, sharedOf, tensorOf } from "./expansion.ts";
import { isFirstHolder } from "./fragment.ts";
import { sharedRuns } from "./shared-places.ts";
import { tensorRuns } from "./tensor-runs.ts";

/** Neighbouring threads have neighbouring pieces. What lies outside of the tensor has no bytes to be read: zeros are written. */
const tiles: Expand<"copy.async"> = (x, op) => {
  const { w } = x;
  const { dst, src } = op.operands;
  const { bytes, along = 0, unmasked = false, warps, warpgroups } = op.attrs;
  if (bytes === 0) throw new TypeError("no pass has chosen how large the pieces are");
  const [to, from] = [sharedOf(x, dst), tensorOf(x, src)];
  const { dtype, layout } = to.type;
  const shape = shapeOf(layout);
  const vector = { count: bytes / elementBytes[dtype], dim: along };
  const type: TileType = { kind: "tile", dtype, shape, layout: coalescedIn(shape, { count: vector.count, along }, warps) };
  const places = sharedRuns(x, type, placed(to, x.facts.view(dst)), warpgroups, vector);
  const sources = [...tensorRuns(x, type, { tensor: from, known: x.facts.view(src), unmasked }, warpgroups, vector)];
  const holder = isFirstHolder(x, type, warpgroups);
  const cache = op.attrs.cache || (bytes === 16 ? "cg" : "ca");
  sources.forEach(({ at, pred }, i) => {
    const [here, there] = [places[i]?.at.address(), at.address()];
    if (!here) throw new TypeError("a piece has no place");
    const none = constant(w, 0, "i32");
    const read = pred && w.once("select", { condition: pred, yes: constant(w, bytes, "i32"), no: none }, {});
    const operands = { dst: here.ptr, src: there.ptr, from: read, pred: holder };
    w.emit("cp.async", operands, { bytes, to: here.offset, at: there.offset, cache });
  });
};

const places: Expand<"view.copy"> = (x, op) => {
  const [to, from] = [sharedOf(x, op.operands.dst), tensorOf(x, op.operands.src)];
  const { bytes, ...how } = op.attrs;
  for (const { fixed, staged } of [to.offset, from.offset])
    if (!staged && fixed % bytes !== 0) refuse(x, "W3005", { bytes, offset: fixed });
  const [here, there] = [sharedAddress(x.w, to, to.offset), tensorAddress(x.w, from, from.offset)];
  const operands = { dst: here.ptr, src: there.ptr, from: op.operands.from, pred: op.operands.pred };
  x.w.emit("cp.async", operands, { bytes, to: here.offset, at: there.offset, ...how });
};

/** Copies by threads, which go on while these do something else. */
export const asyncCopyRules = {
  "copy.async": tiles,
  "view.copy": places,
} as const;
