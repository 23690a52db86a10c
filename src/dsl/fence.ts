import { limits } from "../limits.ts";
import { failHere } from "./fail-here.ts";
import { scopeOf } from "./memory/atomics.ts";
import type { Scope } from "./memory/types.ts";
import { own, ownNamespace } from "./staged.ts";
import { currentTrace } from "./trace.ts";

/** Memory fences. Nothing is fenced behind the author's back. */
export const fence = ownNamespace({
  /**
   * Makes ordinary accesses visible to TMA and wgmma (and back): `fence.proxy.async`, PTX ISA 9.7.13.4. Every thread that wrote
   * calls it, before the barrier.
   */
  proxyAsync(options: { space?: "shared::cta" | "shared::cluster" | "global" } = {}): void {
    const trace = currentTrace("fence.proxyAsync");
    const space = options.space ?? "";
    if (!["", "shared::cta", "shared::cluster", "global"].includes(space)) {
      failHere("W3025", {
        what: "the space of a proxy fence",
        given: JSON.stringify(space),
        allowed: '"shared::cta", "shared::cluster" or "global", or leave it out for all of them',
      });
    }
    trace.emit("fence.proxy.async", {}, { space });
  },
  /** Makes `init` of mbarriers visible to the cluster and to TMA: `fence.mbarrier_init`, PTX ISA 9.7.13.4. */
  mbarrierInit(): void {
    currentTrace("fence.mbarrierInit").emit("fence.mbarrier_init", {}, {});
  },
  /** Orders this thread's accesses before it with those after it, as seen by the threads of that scope. */
  acqRel(scope: Scope): void {
    const trace = currentTrace("fence.acqRel");
    trace.emit("fence", {}, { order: "acq_rel", scope: scopeOf(trace, scope) });
  },
});

/** Every thread of the block meets here; threads that have left the kernel count as there. Barrier 0. PTX ISA 9.7.13.1. */
export const syncThreads = own(function syncThreads(): void {
  currentTrace("syncThreads").emit("bar.sync", {}, { id: 0, count: 0 });
});

/** The lanes of `mask` (static; all 32 by default) meet here. PTX ISA 9.7.13.2. */
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

/** Barrier `id` (1 to 15; 0 is `syncThreads`) for `count` threads, a multiple of 32. W3023, W3024. */
export const namedBarrier = own(function namedBarrier(id: number, count: number): { sync(): void; arrive(): void } {
  currentTrace("namedBarrier");
  const shown = (x: unknown): string => (typeof x === "number" ? String(x) : "a number on the GPU");
  if (!Number.isInteger(id) || id < 1 || id > 15) failHere("W3023", { id: shown(id) });
  if (!Number.isInteger(count) || count < 32 || count > limits.threads || count % 32 !== 0)
    failHere("W3024", { count: shown(count) });
  return ownNamespace({
    sync(): void {
      currentTrace("sync").emit("bar.sync", {}, { id, count });
    },
    arrive(): void {
      currentTrace("arrive").emit("bar.arrive", {}, { id, count });
    },
  });
});
