import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import type { Value } from "../../ir/index.ts";
import { isRowMajor } from "../../layout/modes/index.ts";
import { type CacheHint, readHint } from "../memory/cache-hint.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { liftCondition } from "../numbers/lift.ts";
import { type Mbarrier, MbarrierObject, readRank } from "../sync/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { currentTrace } from "../trace/trace.ts";
import { type ReduceOp, readMulticast } from "./transfer.ts";

export interface PredOption {
  /** Where false, this thread copies nothing. Default true. */
  pred?: boolean;
}
export interface StoreOptions extends PredOption {
  /** What the L2 cache does with the bytes. Default: as usual. */
  cacheHint?: CacheHint;
}
export interface LoadOptions extends StoreOptions {
  /** The blocks of the cluster that get the bytes, one bit each, at the same address of their shared memory, completing on the same mbarrier of each. Default: this one. W4509. */
  multicast?: number;
}
const loadOptions = optionsOf<LoadOptions>("tma.bulkLoad()", { pred: true, cacheHint: true, multicast: true });
const storeOptions = optionsOf<StoreOptions>("tma.bulkStore()", { pred: true, cacheHint: true });
const reduceOptions = optionsOf<StoreOptions>("tma.bulkReduce()", { pred: true, cacheHint: true });
const copyOptions = optionsOf<PredOption>("tma.bulkCopy()", { pred: true });
const prefetchOptions = optionsOf<PredOption>("tma.bulkPrefetch()", { pred: true });

interface Side<V> {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly view: V;
}

/** The global side of a bulk copy, which lies in one piece. W4512. */
function globalSide(tensor: unknown, what: string): Side<TensorObject> {
  if (!(tensor instanceof TensorObject)) return failHere("W4512", { what });
  const dims = tensor.parts.dims.flatMap((d) =>
    typeof d.extent === "number" && typeof d.stride === "number" ? [{ extent: d.extent, stride: d.stride }] : [],
  );
  const bytes = elementBytes[tensor.dtype];
  const layout = dims.map((d) => [{ extent: d.extent, stride: d.stride * bytes }]);
  if (dims.length !== tensor.rank || !isRowMajor(layout, bytes)) failHere("W4512", { what: tensor.what });
  return { shape: dims.map((d) => d.extent), dtype: tensor.dtype, view: tensor };
}

/** The shared side of a bulk copy, which lies in one piece, as its elements are ordered. W4511, W4512, W4516. */
function sharedSide(view: unknown): Side<SharedViewObject> {
  if (!(view instanceof SharedViewObject)) return failHere("W4516", { given: describe(view) });
  if (view.swizzle !== "none" || !isRowMajor(view.layout, elementBytes[view.dtype])) failHere("W4512", { what: view.what });
  checkBytes(view.bytes);
  return { shape: view.shape, dtype: view.dtype, view };
}

/** W4511. */
function checkBytes(bytes: number): void {
  if (bytes % 16 !== 0) failHere("W4511", { bytes });
}

/** W4513. */
function checkSame(dst: Side<unknown>, src: Side<unknown>): void {
  const text = ({ dtype, shape }: Side<unknown>): string => `${dtype}: ${shape.join(", ")}`;
  if (text(dst) !== text(src)) failHere("W4513", { dst: text(dst), src: text(src) });
}

/** Which reductions a bulk copy has without a map. PTX ISA 9.7.9.25.4.2. */
const wide: readonly DType[] = ["i32", "u32", "i64", "u64"];
const types: Readonly<Record<ReduceOp, readonly DType[]>> = {
  add: ["f16", "bf16", "f32", "f64", ...wide],
  min: ["f16", "bf16", ...wide],
  max: ["f16", "bf16", ...wide],
  inc: ["u32"],
  dec: ["u32"],
  and: wide,
  or: wide,
  xor: wide,
};

const condition = (pred: unknown): Value | undefined => liftCondition(pred, "`pred`");

/** Bulk copies without a tensor map: bytes in one piece, multiples of 16, which begin at multiples of 16. PTX ISA 9.7.9.25.4. */
export const bulkCopies = {
  /** Global to shared, asynchronous: completes `dst.bytes` on `mbarrier`. One thread calls it. W3011, W4509, W4511–W4513, W4516, W4517. */
  bulkLoad<D extends DType>(dst: SharedView<D>, src: Tensor<D>, mbarrier: Mbarrier, options: LoadOptions = {}): void {
    const trace = currentTrace("tma.bulkLoad");
    checkOptionsHere(options, loadOptions);
    const bar: unknown = mbarrier;
    const to = sharedSide(dst);
    const address = bar instanceof MbarrierObject ? bar.address : failHere("W4517", { given: describe(bar) });
    const from = globalSide(src, "the source");
    checkSame(to, from);
    const multicast = readMulticast(trace, options.multicast);
    const cacheHint = readHint(options.cacheHint);
    if (options.pred === false) return;
    const pred = condition(options.pred);
    const sides = { dst: to.view.used(trace), src: from.view.whole(trace, pred) };
    trace.emit("copy.bulk", { ...sides, bar: address, multicast, pred }, { cacheHint });
  },
  /** Shared to global, asynchronous: part of the bulk group that `tma.commit()` closes. One thread calls it, after a fence. W3011, W4511–W4513, W4516. */
  bulkStore<D extends DType>(dst: Tensor<D>, src: SharedView<D>, options: StoreOptions = {}): void {
    const trace = currentTrace("tma.bulkStore");
    checkOptionsHere(options, storeOptions);
    const [to, from] = [globalSide(dst, "the destination"), sharedSide(src)];
    checkSame(to, from);
    const cacheHint = readHint(options.cacheHint);
    if (options.pred === false) return;
    const pred = condition(options.pred);
    const sides = { dst: to.view.whole(trace, pred), src: from.view.used(trace) };
    trace.emit("copy.bulk_store", { ...sides, pred }, { cacheHint });
  },
  /**
   * Like `bulkStore`, but combines each element with what is there. Sums of f16 and bf16 keep subnormals. PTX `cp.reduce.async.bulk`
   * (9.7.9.25.4.2). W3011, W4511–W4514, W4516.
   */
  bulkReduce<D extends DType>(op: ReduceOp, dst: Tensor<D>, src: SharedView<D>, options: StoreOptions = {}): void {
    const trace = currentTrace("tma.bulkReduce");
    checkOptionsHere(options, reduceOptions);
    const [to, from] = [globalSide(dst, "the destination"), sharedSide(src)];
    checkSame(to, from);
    if (!Object.hasOwn(types, op) || !types[op].includes(to.dtype)) failHere("W4514", { op: String(op), dtype: to.dtype });
    const cacheHint = readHint(options.cacheHint);
    if (options.pred === false) return;
    const pred = condition(options.pred);
    const sides = { dst: to.view.whole(trace, pred), src: from.view.used(trace) };
    trace.emit("copy.bulk_reduce", { ...sides, pred }, { op, cacheHint });
  },
  /**
   * Shared memory of this block to `dst` in block `rank` of the cluster, completing the bytes on `mbarrier` there: both are named as this block's own. One
   * thread calls it, after a fence. PTX `cp.async.bulk.shared::cluster.shared::cta`. W4511–W4513, W4516, W4517, W5008.
   */
  bulkCopy<D extends DType>(
    dst: SharedView<D>,
    src: SharedView<D>,
    mbarrier: Mbarrier,
    rank: number,
    options: PredOption = {},
  ): void {
    const trace = currentTrace("tma.bulkCopy");
    checkOptionsHere(options, copyOptions);
    const bar: unknown = mbarrier;
    const [to, from] = [sharedSide(dst), sharedSide(src)];
    checkSame(to, from);
    if (!(bar instanceof MbarrierObject)) failHere("W4517", { given: describe(bar) });
    const there = readRank(trace, rank);
    if (options.pred === false) return;
    const sides = { dst: to.view.ofBlock(trace, there).checked(trace), src: from.view.used(trace) };
    trace.emit("copy.bulk_peer", { ...sides, bar: bar.addressAt(trace, there), pred: condition(options.pred) }, {});
  },
  /** Brings a part of a tensor into the L2 cache, asynchronous: nothing tells when it is there. PTX `cp.async.bulk.prefetch`. W3011, W4511, W4512. */
  bulkPrefetch(src: Tensor, options: PredOption = {}): void {
    const trace = currentTrace("tma.bulkPrefetch");
    checkOptionsHere(options, prefetchOptions);
    const from = globalSide(src, "the source");
    checkBytes(from.shape.reduce((n, extent) => n * extent, elementBytes[from.dtype]));
    if (options.pred === false) return;
    const pred = condition(options.pred);
    trace.emit("copy.bulk_prefetch", { src: from.view.whole(trace, pred), pred }, {});
  },
};
