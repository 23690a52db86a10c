import { toMemory } from "../memory/dtype.ts";
import { emitStore } from "../memory/place.ts";
import type { SharedViewObject } from "../memory/shared-view.ts";
import type { Trace } from "../trace.ts";
import { matrixPlaces, sharedRuns } from "./shared-places.ts";
import type { RegisterTile } from "./store.ts";

/** Writes a tile to a shared view of its shape. 16-bit elements along whole rows go by stmatrix, others in pairs where they are neighbours. */
export function storeToShared(trace: Trace, tile: RegisterTile, view: SharedViewObject): void {
  const matrices = matrixPlaces(trace, tile, view);
  if (!matrices) {
    storeRuns(trace, tile, view);
    return;
  }
  const pair = tile.pairs(tile.dtype === "bf16" ? "bf16" : "f16");
  for (const { address, first, pairs } of matrices) {
    const { ptr, offset } = address();
    const packed = Array.from({ length: pairs }, (_, i) => pair(first / 2 + i));
    trace.emit("stmatrix", { ptr, values: packed }, { offset, trans: false });
  }
}

function storeRuns(trace: Trace, tile: RegisterTile, view: SharedViewObject): void {
  const runs = sharedRuns(trace, tile, view);
  const values = tile.elements().map((v) => toMemory(trace, tile.dtype, v));
  for (const { at, first, count } of runs) emitStore(trace, at, values.slice(first, first + count));
}
