/** Kernels that were made before, by all that they were made for. */
import type { Kernel } from "warpsmith";
import { RecentlyUsed } from "../../recently-used.ts";

// biome-ignore lint/suspicious/noExplicitAny: kernels of different functions have different parameters
type AnyKernel = Kernel<any[]>;

/** How many are kept of each function of the author's, and of none: the ones used last. */
const kept = 256;
const made = new WeakMap<object, RecentlyUsed<string, AnyKernel>>();
const noFunction = {};

/** What a kernel is made with, so that what it compiles to is kept on disk: an option of `kernel(…)`. */
export interface Kept {
  readonly cacheKey?: string;
}

/**
 * The one made before for the same key and the same function of the author's, or a new one. Those of a function are gone with it. The key has all that the kernel depends
 * on, so it names it on disk as well: not where there is a function, which may depend on anything.
 */
export function madeOnce(key: readonly unknown[], make: (kept: Kept) => unknown, fn: object = noFunction): AnyKernel {
  const family = made.get(fn) ?? new RecentlyUsed<string, AnyKernel>(kept);
  made.set(fn, family);
  const text = JSON.stringify(key);
  const kernel = family.get(text) ?? (make(fn === noFunction ? { cacheKey: text } : {}) as AnyKernel);
  family.set(text, kernel);
  return kernel;
}
