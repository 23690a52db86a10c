/** Kernels that were made before, by all that they were made for. */
import type { Kernel } from "warpsmith";
import { RecentlyUsed } from "../../base/recently-used.ts";

// biome-ignore lint/suspicious/noExplicitAny: kernels of different functions have different parameters
type AnyKernel = Kernel<any[]>;

/** How many are kept of each function of the author's, or of each pair of them, and of none: the ones used last. */
const kept = 256;

/** Kernels made with the functions on the way from the root. Those of a function that nobody else has are gone with it. */
interface Made {
  readonly next: WeakMap<object, Made>;
  readonly kernels: RecentlyUsed<string, AnyKernel>;
}
const nothingMade = (): Made => ({ next: new WeakMap(), kernels: new RecentlyUsed(kept) });
const made = nothingMade();
const noFunction = {};

/** What a kernel is made with, so that what it compiles to is kept on disk: an option of `kernel(…)`. */
export interface Kept {
  readonly cacheKey?: string;
}

/**
 * The one made before for the same key and the same functions of the author's, or a new one. The key has all that the kernel depends on, so it names it on disk as well: not
 * where there is a function, which may depend on anything.
 */
export function madeOnce(
  key: readonly unknown[],
  make: (kept: Kept) => unknown,
  ...functions: readonly (object | undefined)[]
): AnyKernel {
  let place = made;
  for (const fn of functions) {
    const next = place.next.get(fn ?? noFunction) ?? nothingMade();
    place.next.set(fn ?? noFunction, next);
    place = next;
  }
  const text = JSON.stringify(key);
  const isKept = functions.every((fn) => fn === undefined);
  const kernel = place.kernels.get(text) ?? (make(isKept ? { cacheKey: text } : {}) as AnyKernel);
  place.kernels.set(text, kernel);
  return kernel;
}
