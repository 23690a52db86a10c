import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { isPowerOf2 } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { Place, SharedView, Tensor } from "../memory/types.ts";
import { checkOptionsHere, describe, readFlag } from "../numbers/describe.ts";
import { lift, liftCondition } from "../numbers/lift.ts";
import { type Mbarrier, MbarrierObject, readPending } from "../sync/index.ts";
import { spreadWarps, warpgroupsMeeting } from "../tiles/access.ts";
import { failHere } from "../trace/fail-here.ts";
import { ownNamespace } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { placeIn } from "./places.ts";
import { remoteStores } from "./remote-store.ts";

/** What `asyncCopy.load` takes. W2601. */
export interface AsyncCopyOptions {
  /** False: all elements lie inside the tensor, and nothing is checked. Default true: what lies outside becomes 0. */
  mask?: boolean;
  /** "ca": through the L1 cache; "cg": past it, 16 bytes at a time. Default "cg" where the pieces have 16 bytes, else "ca". W3032. */
  cache?: "ca" | "cg";
}

/** What `asyncCopy.copy` takes. W2601. */
export interface PlaceCopyOptions {
  /** 4, 8 or 16: neighbours from the places on, which lie at multiples of it. Default: one element. W3004–W3006, W3033. */
  bytes?: 4 | 8 | 16;
  /** How many of the bytes are read, from 0 to `bytes`; the rest becomes 0. Default: all. */
  from?: number;
  /** Where false, nothing is copied. Default true. */
  pred?: boolean;
  /** "ca": through the L1 cache; "cg": past it, for 16 bytes alone. Default "cg" for 16 bytes, else "ca". W3032. */
  cache?: "ca" | "cg";
}

interface BarrierOptions {
  /** True: the arrival is one of those that the barrier was made for (PTX `.noinc`). Default false: the phase expects one more, so that nothing changes in the count. */
  noInc?: boolean;
}

const loadOptions = optionsOf<AsyncCopyOptions>("asyncCopy.load()", { mask: true, cache: true });
const copyOptions = optionsOf<PlaceCopyOptions>("asyncCopy.copy()", {
  bytes: true,
  from: true,
  pred: true,
  cache: true,
});
const arriveOptions = optionsOf<BarrierOptions>("asyncCopy.arrive()", { noInc: true });

/** W3025. */
function readCache(cache: unknown): "" | "ca" | "cg" {
  if (cache === undefined) return "";
  if (cache === "ca" || cache === "cg") return cache;
  return failHere("W3025", { what: "`cache`", given: String(cache), allowed: '"ca" or "cg"' });
}

/** W3030. */
function viewsOf(dst: unknown, src: unknown): { readonly to: SharedViewObject; readonly from: TensorObject } {
  if (!(dst instanceof SharedViewObject)) return failHere("W3030", { what: describe(dst), given: "shared memory" });
  if (!(src instanceof TensorObject)) return failHere("W3030", { what: describe(src), given: "tensor" });
  return { to: dst, from: src };
}

/** W4517. */
const barrierOf = (bar: unknown): Value =>
  bar instanceof MbarrierObject ? bar.address : failHere("W4517", { given: describe(bar) });

/** Of a size that one instruction copies. W3033. */
function readBytes(bytes: unknown, dtype: DType): 4 | 8 | 16 {
  const wanted = bytes ?? elementBytes[dtype];
  if ((wanted === 4 || wanted === 8 || wanted === 16) && wanted >= elementBytes[dtype]) return wanted;
  return failHere("W3033", { bytes: typeof wanted === "number" ? String(wanted) : "that many", dtype });
}

/** W3025. */
function readFrom(from: unknown, bytes: number): Value {
  if (typeof from === "number" && !(Number.isInteger(from) && from >= 0 && from <= bytes))
    failHere("W3025", { what: "`from`", given: String(from), allowed: `a number of bytes from 0 to ${bytes}` });
  return lift(from, "i32", "the bytes that are read");
}

/**
 * Copies from global to shared memory that go on while the thread does something else: PTX `cp.async` (9.7.9.25.3). A thread waits for its own copies alone;
 * what others have copied takes a barrier after their wait. They are ordinary accesses: `fence.proxyAsync()` stands between them and TMA or wgmma. And stores
 * to other blocks of the cluster that complete bytes of an mbarrier there.
 *
 * @example
 * ```ts
 * const stage = kernel({ block: 64, grid: 1 }, (x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) => {
 *   const s = sharedMemory.alloc("f32", [64]);
 *   asyncCopy.copy(s.at(threadIdx.x), x.at(threadIdx.x));
 *   asyncCopy.commit();
 *   asyncCopy.wait(0); // this thread's copies
 *   syncThreads(); // everybody's
 *   y[threadIdx.x] = s[63 - threadIdx.x]!;
 * });
 *
 * await using gpu = await openDevice();
 * stage.launch({}, gpu.zeros("f32", [64]), gpu.zeros("f32", [64]));
 * ```
 */
export const asyncCopy = ownNamespace({
  /**
   * A part of a tensor to shared memory of the same shape and type, extents powers of two; elements outside the tensor become 0. All threads of the
   * block, or of the partition, call it together, and each copies pieces of 16 bytes, or of 8 or 4 where no more is sure to be aligned. Gluon
   * `async_copy`. W2010, W3028, W3030–W3032, W4513, W6122, W6210, W6216.
   */
  load<D extends DType>(dst: SharedView<D>, src: Tensor<D>, options: AsyncCopyOptions = {}): void {
    const trace = currentTrace("asyncCopy.load");
    checkOptionsHere(options, loadOptions);
    const { to, from } = viewsOf(dst, src);
    const extents = from.parts.dims.map((d) => d.extent);
    if (to.dtype !== from.dtype || extents.length !== to.rank || extents.some((n, d) => n !== to.shape[d])) {
      const shown = extents.map((n) => (typeof n === "number" ? n : "?"));
      failHere("W4513", { dst: `${to.dtype}: ${to.shape.join(", ")}`, src: `${from.dtype}: ${shown.join(", ")}` });
    }
    const odd = to.shape.find((n) => !isPowerOf2(n));
    if (odd !== undefined) failHere("W6210", { shape: to.shape.join(", "), why: `${odd} is no power of two` });
    const attrs = {
      bytes: 0,
      along: undefined,
      unmasked: readFlag(options.mask, "`mask`", true) ? undefined : true,
      cache: readCache(options.cache),
      warps: spreadWarps(trace),
      warpgroups: warpgroupsMeeting(trace),
    } as const;
    trace.emit("copy.async", { dst: to.used(trace), src: from.checked(trace) }, attrs);
  },
  /** One thread's copy of an element, or of neighbours of 4, 8 or 16 bytes together. W3004–W3006, W3028, W3030, W3033. */
  copy<D extends DType>(dst: Place<D>, src: Place<D>, options: PlaceCopyOptions = {}): void {
    const trace = currentTrace("asyncCopy.copy");
    checkOptionsHere(options, copyOptions);
    const [to, from] = [placeIn(dst, "shared"), placeIn(src, "global")];
    if (to.dtype !== from.dtype) failHere("W4513", { dst: to.dtype, src: from.dtype });
    const bytes = readBytes(options.bytes, to.dtype);
    const cache = readCache(options.cache) || (bytes === 16 ? "cg" : "ca");
    if (cache === "cg" && bytes !== 16) failHere("W3032", { bytes });
    if (options.pred === false) return;
    const pred = liftCondition(options.pred, "`pred`");
    const read = options.from === undefined ? undefined : readFrom(options.from, bytes);
    const count = bytes / elementBytes[to.dtype];
    const operands = { dst: to.neighbours(trace, count, pred), src: from.neighbours(trace, count, pred), from: read, pred };
    trace.emit("view.copy", operands, { bytes, cache });
  },
  /** Closes this thread's group of copies. PTX `cp.async.commit_group`. */
  commit(): void {
    currentTrace("asyncCopy.commit").emit("cp.async.commit_group", {}, {});
  },
  /** Waits until at most the `pending` newest groups of this thread are unfinished. PTX `cp.async.wait_group`. W4510. */
  wait(pending: number): void {
    const attrs = { pending: readPending(pending, "the number of pending groups") };
    currentTrace("asyncCopy.wait").emit("cp.async.wait_group", {}, attrs);
  },
  /**
   * Arrives at the mbarrier once all copies that this thread has begun are done, without waiting for them. PTX `cp.async.mbarrier.arrive`
   * (9.7.13.15.14). W2010, W4517.
   */
  arrive(mbarrier: Mbarrier, options: BarrierOptions = {}): void {
    const trace = currentTrace("asyncCopy.arrive");
    checkOptionsHere(options, arriveOptions);
    trace.emit("cp.async.mbarrier.arrive", { bar: barrierOf(mbarrier) }, { counted: readFlag(options.noInc, "`noInc`", false) });
  },
  ...remoteStores,
});
