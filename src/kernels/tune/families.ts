import { gatedFamily, matmulFamily } from "../matmul/plan/tuning.ts";
import type { Family } from "./types.ts";

/** All that can be tuned, by name. */
export const families: readonly Family<unknown>[] = [matmulFamily as Family<unknown>, gatedFamily as Family<unknown>];
