import { opSpec } from "../../ir/index.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";

/** Runs `run`; its ops are appended to a region that was filled before. */
export function emitInto<T>(trace: Trace, region: OpenRegion, run: () => T): T {
  trace.regions.push(region);
  try {
    return run();
  } finally {
    trace.regions.pop();
  }
}

/** Runs `run`; its ops are appended to an outer region: the innermost of the first `regions` open ones. */
export function emitOutside<T>(trace: Trace, regions: number, run: () => T): T {
  const inner = trace.regions.splice(regions);
  try {
    return run();
  } finally {
    trace.regions.push(...inner);
  }
}

/** May the region's ops run although nobody asked for them? They can neither fault nor act, and are few. */
export const isHarmless = (region: OpenRegion): boolean =>
  region.ops.length <= 64 &&
  region.ops.every(
    (op) =>
      op.regions.length === 0 && opSpec(op.name).effects.length === 0 && op.results.every((r) => typeof r.type === "string"),
  );
