/** Fences, and barriers and waits that are no object: of the block, of a warp, of the kernels of a stream, of asynchronous groups. */
import { optionsOf } from "../../base/diag/index.ts";
import { constant } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { scopeOf } from "../memory/atomics.ts";
import type { Scope } from "../memory/types.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import { isPartitioned } from "../trace/partition.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { own, ownNamespace } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";
import { noteBlockBarrier } from "./role-barriers.ts";

interface ProxyOptions {
  /** The memory that was accessed: the block's or the cluster's shared memory, or global memory. Default: all of it. W3025. */
  space?: "shared::cta" | "shared::cluster" | "global";
}
const proxyOptions = optionsOf<ProxyOptions>("fence.proxyAsync()", { space: true });

/** Gives the value of a tensor map that this kernel has. */
export const tensorMapOf: unique symbol = Symbol("tensorMapOf");
/** A tensor map, as fences know it: a `TMA`. */
export interface FencedMap {
  /** @internal */
  [tensorMapOf](): Value;
}

/**
 * Memory fences. Nothing is fenced behind the author's back.
 *
 * @example
 * ```ts
 * const store = kernel({ block: 64, grid: 1 }, (to: TMA<"i32", 2>) => {
 *   const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
 *   row.at(0, threadIdx.x).store(threadIdx.x);
 *   fence.proxyAsync(); // in every thread that has written, before the barrier
 *   syncThreads();
 *   if (threadIdx.x === 0) {
 *     to.store(row, [0, 0]);
 *     tma.commit();
 *     tma.wait(0);
 *   }
 * });
 *
 * await using gpu = await openDevice();
 * store.launch({}, new TMA(gpu.zeros("i32", [1, 64]), { box: [1, 64] }));
 * ```
 */
export const fence = ownNamespace({
  /**
   * Makes ordinary accesses visible to TMA and wgmma (and back): `fence.proxy.async`, PTX ISA 9.7.13.4. Every thread that wrote
   * calls it, before the barrier.
   */
  proxyAsync(options: ProxyOptions = {}): void {
    const trace = currentTrace("fence.proxyAsync");
    checkOptionsHere(options, proxyOptions);
    const space = options.space ?? "";
    if (!["", "shared::cta", "shared::cluster", "global"].includes(space)) {
      failHere("W3025", {
        what: "the space of a proxy fence",
        given: describe(space),
        allowed: '"shared::cta", "shared::cluster" or "global", or leave it out for all of them',
      });
    }
    trace.emit("fence.proxy.async", {}, { space });
  },
  /** Makes `init` of mbarriers visible to the cluster and to TMA: `fence.mbarrier_init`, PTX ISA 9.7.13.4. */
  mbarrierInit(): void {
    currentTrace("fence.mbarrierInit").emit("fence.mbarrier_init", {}, {});
  },
  /**
   * Orders this thread's accesses before it with those after it, as seen by the threads of that scope. PTX `fence.acq_rel`; CUDA
   * `__threadfence_block()`, `__threadfence()` and `__threadfence_system()`. W3025.
   */
  acqRel(scope: Scope): void {
    const trace = currentTrace("fence.acqRel");
    trace.emit("fence", {}, { order: "acq_rel", scope: scopeOf(trace, scope) });
  },
  /**
   * Lets this thread use a map that another one has changed by `replace`: behind the barrier or flag that says so, before its first transfer through the map.
   * PTX `fence.proxy.tensormap::generic.acquire.gpu` (9.7.13.4). W4502, W4521.
   */
  tensorMap(map: FencedMap): void {
    const trace = currentTrace("fence.tensorMap");
    const given: unknown = map;
    if (typeof given !== "object" || given === null || !(tensorMapOf in given))
      failHere("W4521", { what: describe(given), why: "it is no tensor map" });
    trace.emit("fence.proxy.tensormap", { map: map[tensorMapOf]() }, {});
  },
});

/**
 * Every thread of the block meets here, and sees what the others have written; threads that have left the kernel count as there. Barrier 0. PTX `bar.sync 0` (9.7.13.1); CUDA `__syncthreads()`.
 *
 * @example
 * ```ts
 * const shift = kernel({ block: 64, grid: 1 }, (x: Tensor<"i32", 1>) => {
 *   const s = sharedMemory.alloc("i32", [64]);
 *   s[threadIdx.x] = x[threadIdx.x]!;
 *   syncThreads(); // all have written before anybody reads
 *   x[threadIdx.x] = s[(threadIdx.x + 1) % 64]!;
 * });
 *
 * await using gpu = await openDevice();
 * shift.launch({}, gpu.zeros("i32", [64]));
 * ```
 */
export const syncThreads = own(function syncThreads(): void {
  const trace = currentTrace("syncThreads");
  noteBlockBarrier(trace);
  trace.emit("bar.sync", { id: constant(trace, 0, "i32") }, { count: 0 });
});

/**
 * The lanes of `mask` (static; all 32 by default) meet here, and see what the others have written; no other lane comes here (W9245 on the emulator). PTX `bar.warp.sync` (9.7.13.2); CUDA `__syncwarp(mask)`. W3025.
 *
 * @example
 * ```ts
 * const neighbours = kernel({ block: 32, grid: 1 }, (x: Tensor<"i32", 1>) => {
 *   const s = sharedMemory.alloc("i32", [32]);
 *   s[threadIdx.x] = x[threadIdx.x]!;
 *   syncWarp();
 *   x[threadIdx.x] = s[(threadIdx.x + 1) % 32]!;
 * });
 *
 * await using gpu = await openDevice();
 * neighbours.launch({}, gpu.zeros("i32", [32]));
 * ```
 */
export const syncWarp = own(function syncWarp(mask = 0xffffffff): void {
  const trace = currentTrace("syncWarp");
  if (typeof mask !== "number" || !Number.isInteger(mask) || mask < 1 || mask > 0xffffffff) {
    failHere("W3025", {
      what: "the mask of a warp's lanes",
      given: typeof mask === "number" ? String(mask) : "a number on the GPU",
      allowed: "a static number from 1 to 0xffffffff, one bit per lane",
    });
  }
  trace.emit("bar.warp.sync", {}, { mask });
});

/**
 * Programmatic dependent launch: what a kernel launched with `overlapPrevious` says to its neighbours in the stream. PTX ISA 9.7.13.13.
 * Without such a launch both do nothing.
 *
 * @example
 * ```ts
 * const next = kernel({ block: 32, grid: 1 }, (x: Tensor<"i32", 1>, y: Tensor<"i32", 1>) => {
 *   gridDependency.wait(); // what the launch before has written is there now
 *   y[threadIdx.x] = x[threadIdx.x]! + 1;
 * });
 *
 * await using gpu = await openDevice();
 * const [a, b, c] = [gpu.zeros("i32", [32]), gpu.zeros("i32", [32]), gpu.zeros("i32", [32])];
 * next.launch({}, a, b);
 * next.launch({ overlapPrevious: true }, b, c);
 * console.log((await c.read())[0]); // 2
 * ```
 */
export const gridDependency = ownNamespace({
  /**
   * Waits until the kernel launched before has ended, and sees what it wrote. Every thread that reads that, or overwrites what that
   * kernel reads, calls it first, or meets at a barrier one that has.
   */
  wait(): void {
    currentTrace("gridDependency.wait").emit("griddepcontrol.wait", {}, {});
  },
  /**
   * Lets the kernel launched next start, once every block has called it or ended: when this one needs no more multiprocessors than it
   * has. Nothing is passed on by it: the next kernel's `wait` waits for the end of this one, whenever this is called.
   */
  launchDependents(): void {
    currentTrace("gridDependency.launchDependents").emit("griddepcontrol.launch_dependents", {}, {});
  },
});

/** All blocks of a cooperative launch: `kernel({ cooperative: true, … })`. */
export const grid = ownNamespace({
  /**
   * Every thread of the grid meets here, and sees what the others have written. Of a cooperative kernel, whose blocks are all on the GPU at the same time. What
   * TMA has written or is to read takes `fence.proxyAsync()`, too. CUDA `cooperative_groups::this_grid().sync()`. W2048, W5020, W5021.
   */
  sync(): void {
    const trace = currentTrace("grid.sync");
    if (isPartitioned(trace)) failHere("W5020", {});
    trace.emit("grid.sync", {}, {});
  },
});

const pendingText = (x: unknown): string =>
  typeof x === "number" ? String(x) : isStagedScalar(x) ? "a value on the GPU" : describe(x);

/** A count of groups that may stay unfinished. W4510. */
export function readPending(pending: unknown, what: string): number {
  if (typeof pending === "number" && Number.isSafeInteger(pending) && pending >= 0) return pending;
  return failHere("W4510", { what, given: pendingText(pending) });
}
