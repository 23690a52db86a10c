import { first } from "../../ir/arith.ts";
import type { MatrixType } from "../../ir/index.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import type { Trace } from "../trace/trace.ts";
import { AccumulatorObject } from "./accumulator.ts";
import { checkColumns, checkRows, warpgroupsHere } from "./sharing.ts";

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
  const layout = { kind: "wgmma", warpgroups: sharing } as const;
  const type: MatrixType = { kind: "tile", dtype: view.dtype, shape: [rows, cols], layout };
  const attrs = { access: "", along: undefined, unmasked: undefined, warpgroups: warpgroupsHere(trace, sharing) } as const;
  const value = first(trace.emit("tile.load", { view: view.checked(trace), other: undefined }, attrs, { types: [type] }));
  return new AccumulatorObject(value, type);
}
