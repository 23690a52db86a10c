import type { Value } from "../../ir/index.ts";
import { emitLoad } from "../memory/place.ts";
import type { SharedViewObject } from "../memory/shared-view.ts";
import type { Trace } from "../trace.ts";
import type { TileShape } from "./fragment.ts";
import { matrixPlaces, sharedRuns } from "./shared-places.ts";

/** The thread's elements of a shared view, in the order of `elementPlaces`: the way that `storeToShared` writes them. */
export function loadFromShared(trace: Trace, tile: TileShape, view: SharedViewObject): readonly Value[] {
  const matrices = matrixPlaces(trace, tile, view);
  const values: Value[] = [];
  const put = (first: number, elements: readonly Value[]): void => {
    for (const [i, value] of elements.entries()) values[first + i] = value;
  };
  if (!matrices) {
    for (const { at, first, count } of sharedRuns(trace, tile, view)) put(first, emitLoad(trace, at, count, {}));
    return values;
  }
  const half = tile.dtype === "bf16" ? "bf16" : "f16";
  for (const { address, first, pairs } of matrices) {
    const { ptr, offset } = address();
    const types = Array.from({ length: pairs }, () => "u32" as const);
    const words = trace.emit("ldmatrix", { ptr }, { offset, trans: false }, { types }).results;
    words.forEach((pair, i) => {
      put(first + 2 * i, trace.emit("pair.unpack", { pair }, {}, { types: [half, half] }).results);
    });
  }
  return values;
}
