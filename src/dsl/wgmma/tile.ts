import { first } from "../../ir/arith.ts";
import type { TileType } from "../../ir/index.ts";
import { sharersAlong, sliceOf } from "../../layout/tile-layout.ts";
import type { DType } from "../../types.ts";
import { describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import { ownNamespace } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { type Accumulator, AccumulatorObject } from "./accumulator.ts";
import { type TileVector, TileVectorObject } from "./vector.ts";

/** What narrow integers are summed in. */
const wider: { readonly [D in DType]?: DType } = { i8: "i32", i16: "i32", u8: "u32", u16: "u32" };

function widened(tile: AccumulatorObject): AccumulatorObject {
  const dtype = wider[tile.dtype];
  return dtype === undefined ? tile : tile.convert(dtype);
}

/** Reductions of tiles. All 32 threads of a warp call them together; a warp that does not come leaves its rows out. */
export const tile = ownNamespace({
  /**
   * The sum of each row (`axis` 1, over the columns): [rows], in every thread that has elements of the row. Of the type of the tile: f16,
   * bf16 and 8-bit floats are summed as f32 and rounded once; integers of 8 and 16 bits give i32 or u32. Sums of integers wrap, as those of
   * wgmma do, with `debug`, too.
   *
   * The order is always the same. Each thread sums its own elements of the row, by rising column: neighbours two by two, then these sums two
   * by two, and so on; the last one of an odd number goes on to the next round. In a row of n columns these are the columns 2t, 2t + 1,
   * 8 + 2t, 8 + 2t + 1, 16 + 2t, … of thread t of four. Then (0 + 1) + (2 + 3) of the four threads.
   *
   * Only after a wait that covers the product (W6001). Along axis 0 it would go over several warps: W6129. W2048, W6127, W6128.
   */
  sum(x: Accumulator, axis: number): TileVector {
    const trace = currentTrace("tile.sum");
    const [given, along]: [unknown, unknown] = [x, axis];
    if (!(given instanceof AccumulatorObject) || given.dtype === "bool") return failHere("W6127", { given: describe(given) });
    if (along !== 0 && along !== 1) return failHere("W6128", { given: describe(along) });
    const { value, type } = widened(given);
    if (((s) => s.warps.length > 0 || s.warpgroups)(sharersAlong(type, along))) return failHere("W6129", {});
    const left: TileType = { kind: "tile", dtype: type.dtype, ...sliceOf(type, along) };
    const sum = first(trace.emit("tile.reduce", { tile: value }, { axis: along, op: "add" }, { types: [left] }));
    return new TileVectorObject(sum, left);
  },
});
