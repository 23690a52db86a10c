import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType, Element } from "../../base/types.ts";
import type { Place } from "../memory/types.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { liftCondition } from "../numbers/lift.ts";
import { type Mbarrier, MbarrierObject, readRank } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { currentTrace } from "../trace/trace.ts";
import { placeIn } from "./places.ts";

/** What a combination does with the element in the other block and the value. PTX ISA 9.7.13.9. */
export type RemoteReduceOp = "add" | "min" | "max" | "inc" | "dec" | "and" | "or" | "xor";

export interface RemoteOptions {
  /** Where false, nothing is stored and no byte is completed. Default true. */
  pred?: boolean;
}
const storeOptions = optionsOf<RemoteOptions>("asyncCopy.store()", { pred: true });
const reduceOptions = optionsOf<RemoteOptions>("asyncCopy.reduce()", { pred: true });

const words: readonly DType[] = ["i32", "u32"];
const types: Readonly<Record<RemoteReduceOp, readonly DType[]>> = {
  add: [...words, "i64", "u64"],
  min: words,
  max: words,
  inc: ["u32"],
  dec: ["u32"],
  and: words,
  or: words,
  xor: words,
};

/** W4517. */
const barrierOf = (bar: unknown): MbarrierObject =>
  bar instanceof MbarrierObject ? bar : failHere("W4517", { given: describe(bar) });

/** Stores to another block of the cluster that complete bytes of an mbarrier there. */
export const remoteStores = {
  /**
   * The value, or neighbours of 4, 8 or 16 bytes together, to `place` in block `rank` of the cluster, completing their bytes on `mbarrier` there: both are
   * named as this block's own. Asynchronous: who waits for the phase sees them. PTX `st.async` (9.7.9.13). W3004–W3007, W3030, W3034, W4517,
   * W5008.
   */
  store<D extends DType>(
    place: Place<D>,
    value: Element<D> | readonly Element<D>[],
    mbarrier: Mbarrier,
    rank: number,
    options: RemoteOptions = {},
  ): void {
    const trace = currentTrace("asyncCopy.store");
    checkOptionsHere(options, storeOptions);
    const to = placeIn(place, "shared");
    const values = to.elements(Array.isArray(value) ? value : [value]);
    const bytes = values.length * elementBytes[to.dtype];
    if (bytes !== 4 && bytes !== 8 && bytes !== 16) failHere("W3034", { count: values.length, dtype: to.dtype, bytes });
    const [bar, there] = [barrierOf(mbarrier), readRank(trace, rank)];
    if (options.pred === false) return;
    const pred = liftCondition(options.pred, "`pred`");
    const view = to.neighboursAt(trace, there, values.length, pred);
    trace.emit("view.store_async", { view, values, bar: bar.addressAt(trace, there), pred }, {});
  },
  /**
   * Combines the element at `place` in block `rank` of the cluster with a value, completing its bytes on `mbarrier` there: "add" of integers of 32 and 64
   * bits, the others of 32. PTX `red.async` (9.7.13.9). W3020, W3030, W4517, W5008.
   */
  reduce<D extends DType>(
    op: RemoteReduceOp,
    place: Place<D>,
    value: Element<D>,
    mbarrier: Mbarrier,
    rank: number,
    options: RemoteOptions = {},
  ): void {
    const trace = currentTrace("asyncCopy.reduce");
    checkOptionsHere(options, reduceOptions);
    const to = placeIn(place, "shared");
    if (!Object.hasOwn(types, op) || !types[op].includes(to.dtype)) failHere("W3035", { op: String(op), dtype: to.dtype });
    const [operand] = to.elements([value]);
    const [bar, there] = [barrierOf(mbarrier), readRank(trace, rank)];
    if (options.pred === false || !operand) return;
    const pred = liftCondition(options.pred, "`pred`");
    const view = to.neighboursAt(trace, there, 1, pred);
    trace.emit("view.reduce_async", { view, value: operand, bar: bar.addressAt(trace, there), pred }, { op });
  },
};
