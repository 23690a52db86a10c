import type { TileType, Value } from "../../ir/index.ts";
import { registerType } from "../../ir/types.ts";
import { warpgroupsOf } from "../../layout/tile-layout.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import { warpgroupsHere } from "./sharing.ts";

/** A part of a tensor has the tile's shape or less: it may end at the tensor's edge. W6119. */
function checkTensor({ shape: tile }: TileType, { rank, parts }: TensorObject): void {
  const larger = parts.dims.some((d, i) => typeof d.extent === "number" && d.extent > (tile[i] ?? 0));
  const extents = parts.dims.map((d) => (typeof d.extent === "number" ? String(d.extent) : "?")).join(", ");
  if (rank !== tile.length || larger) failHere("W6119", { tile: tile.join(", "), dst: extents });
}

/** W6118, W6119. */
export function storeTile(trace: Trace, tile: Value, type: TileType, dst: SharedView | Tensor): void {
  const view: unknown = dst;
  if (!(view instanceof SharedViewObject || view instanceof TensorObject)) failHere("W4516", { given: describe(view) });
  if (registerType(view.dtype) !== registerType(type.dtype)) failHere("W6118", { from: type.dtype, to: view.dtype });
  if (view instanceof TensorObject) checkTensor(type, view);
  else if (view.rank !== type.shape.length || type.shape.some((extent, d) => view.shape[d] !== extent))
    failHere("W6119", { tile: type.shape.join(", "), dst: view.shape.join(", ") });
  const attrs = {
    access: "",
    along: undefined,
    unmasked: undefined,
    warpgroups: warpgroupsHere(trace, warpgroupsOf(type)),
  } as const;
  trace.emit("tile.store", { tile, view: view.checked(trace) }, attrs);
}
