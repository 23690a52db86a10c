import type { Value } from "../../ir/index.ts";
import { failHere } from "../fail-here.ts";
import { registerType, toMemory } from "../memory/dtype.ts";
import { emitStore } from "../memory/place.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/operands.ts";
import type { Trace } from "../trace.ts";
import type { TileShape } from "./fragment.ts";
import { storeToShared } from "./store-shared.ts";
import { tensorRuns } from "./tensor-runs.ts";

/** A tile in registers, spread as wgmma spreads its accumulators. */
export interface RegisterTile extends TileShape {
  elements(): readonly Value[];
  /** The same, to be stored one by one. */
  singles(): readonly Value[];
  /** Of 16-bit elements: the word of elements 2i and 2i + 1. */
  pairs(type: "f16" | "bf16"): (i: number) => Value;
}

/** W6118, W6119. */
export function storeTile(trace: Trace, tile: RegisterTile, dst: SharedView | Tensor): void {
  const view: unknown = dst;
  if (!(view instanceof SharedViewObject || view instanceof TensorObject)) failHere("W4516", { given: describe(view) });
  if (registerType(view.dtype) !== registerType(tile.dtype)) failHere("W6118", { from: tile.dtype, to: view.dtype });
  if (view instanceof TensorObject) {
    const runs = [...tensorRuns(trace, tile, view)];
    const elements = runs.some(({ count }) => count === 1) ? tile.singles() : tile.elements();
    const values = elements.map((v) => toMemory(trace, tile.dtype, v));
    for (const { at, first, count, pred } of runs) emitStore(trace, at, values.slice(first, first + count), pred);
    return;
  }
  const fits = view.rank === 2 && view.shape.every((extent, d) => extent === tile.shape[d]);
  if (!fits) failHere("W6119", { tile: tile.shape.join(", "), dst: view.shape.join(", ") });
  storeToShared(trace, tile, view);
}
