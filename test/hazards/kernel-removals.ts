import type { KernelRemoval } from "./kernel-removal.ts";
import { productRemovals } from "./product-removals.ts";
import { splitRemovals } from "./split-removals.ts";
import { tileRemovals } from "./tile-removals.ts";

/** What is taken out of the kernel behind `matmul`. */
export const kernelRemovals: readonly KernelRemoval[] = [...productRemovals, ...splitRemovals, ...tileRemovals];
