import type { Value } from "../../ir/index.ts";
import { failHere } from "../fail-here.ts";
import { emitLoad } from "../memory/place.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/operands.ts";
import { scalar } from "../scalar.ts";
import type { Trace } from "../trace.ts";
import { AccumulatorObject } from "./accumulator.ts";
import { checkRows, type TileShape } from "./fragment.ts";
import { loadFromShared } from "./load-shared.ts";
import { checkColumns } from "./product.ts";
import { tensorRuns } from "./tensor-runs.ts";

function loadFromTensor(trace: Trace, tile: TileShape, tensor: TensorObject): readonly Value[] {
  const values: Value[] = [];
  for (const { at, first, count, pred } of tensorRuns(trace, tile, tensor)) {
    const loaded = emitLoad(trace, at, count, pred ? { pred: scalar(pred) } : {});
    for (const [i, value] of loaded.entries()) values[first + i] = value;
  }
  return values;
}

/** W6110, W6111, W6116, W6122, W6125. */
export function loadTile(trace: Trace, from: SharedView | Tensor, sharing: number): AccumulatorObject {
  const view: unknown = from;
  if (!(view instanceof SharedViewObject || view instanceof TensorObject)) return failHere("W4516", { given: describe(view) });
  const extents: readonly unknown[] = view instanceof TensorObject ? view.parts.dims.map((d) => d.extent) : view.shape;
  const [rows, cols] = extents;
  if (extents.length !== 2 || typeof rows !== "number" || typeof cols !== "number") {
    const shown = extents.map((e) => (typeof e === "number" ? String(e) : "?"));
    return failHere("W6125", { shape: shown.join(", ") });
  }
  checkRows(trace, "a tile", rows, sharing);
  checkColumns(cols, false);
  const tile: TileShape = { dtype: view.dtype, shape: [rows, cols], rows: rows / sharing, sharing };
  const values = view instanceof TensorObject ? loadFromTensor(trace, tile, view) : loadFromShared(trace, tile, view);
  return new AccumulatorObject({ dtype: tile.dtype, shape: tile.shape, sharing, contents: { kind: "elements", values } });
}
