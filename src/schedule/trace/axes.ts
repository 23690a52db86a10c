/** Axes of blocks as an author writes them. */
import type { Axis as AxisData, Expr } from "../ir/types.ts";
import { extentOf } from "./buffers.ts";
import { ownFunction } from "./functions.ts";
import { whole } from "./numbers.ts";
import { describe, isSymbolic } from "./symbolic.ts";
import { currentTracing, failHere } from "./tracing.ts";

/** An axis of a block that is yet to be named. */
export class AxisMark {
  readonly type: AxisData["type"];
  readonly extent: Expr;
  readonly value: Expr;
  constructor(type: AxisData["type"], extent: Expr, value: Expr) {
    this.type = type;
    this.extent = extent;
    this.value = value;
  }
  get describe(): string {
    return "an axis";
  }
}

function axis(type: "spatial" | "reduce", given: readonly unknown[]): AxisMark {
  const tracing = currentTracing(`${type}(…)`);
  if (given.length >= 2)
    return new AxisMark(
      type,
      extentOf(given[0], `the extent of ${type}(…)`),
      tracing.use(whole(given[1], `the value of ${type}(…)`)),
    );
  const [only] = given;
  const extent = isSymbolic(only) && only.expr.kind === "var" ? tracing.extents.get(only.expr) : undefined;
  if (!extent || !isSymbolic(only))
    return failHere("W5508", {
      what: `what ${type}(…) takes alone`,
      wanted: "the variable of a loop",
      got: isSymbolic(only) ? "an expression" : describe(only),
      instead:
        typeof only === "number"
          ? `loop over \`grid\`, \`for (const i of grid(64))\`: a plain \`for\` is run while the program is traced, and its variable is a number`
          : `give the extent first: \`${type}(64, i * 16 + ii)\``,
    });
  return new AxisMark(type, extent, only.expr);
}

/** What an axis of a block is: `spatial(i)`, `reduce(64, k)`. */
export interface BlockAxis {
  /** Spatial ones may run in any order, reductions are summed up in any order. */
  readonly type: "spatial" | "reduce";
}

/** An axis whose values may run in any order and at the same time: `spatial(i)` takes its extent from the loop, `spatial(64, expr)` has both. W5508. */
export const spatial: { (loop: number): BlockAxis; (extent: number, value: number): BlockAxis } = ownFunction(
  (extent: unknown, value?: unknown) => axis("spatial", value === undefined ? [extent] : [extent, value]),
);
/** An axis over which the block sums up, in any order: `reduce(k)`, `reduce(64, expr)`. W5508. */
export const reduce: { (loop: number): BlockAxis; (extent: number, value: number): BlockAxis } = ownFunction(
  (extent: unknown, value?: unknown) => axis("reduce", value === undefined ? [extent] : [extent, value]),
);
