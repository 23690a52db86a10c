import { optionsOf } from "../../base/diag/index.ts";
import { expectNatural, expectUpTo } from "../checks/expect-natural.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { liftIndex } from "../numbers/lift.ts";
import { isStaticNumber } from "../numbers/literals.ts";
import { usable } from "../numbers/unusable.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { activeTrace } from "../trace/trace.ts";
import { covering, type Natural, unsigned } from "./natural.ts";
import type { Extents, TileOrder } from "./orders.ts";

/** Which tiles a block takes, and in which order. W2601, W6601–W6607. */
export interface TileSchedulerOptions {
  /** "grid": this block's one tile (default). "persistent": tile after tile, as far apart as the grid has blocks. */
  readonly mode?: "grid" | "persistent";
  /** Tiles along M before N moves on, for the L2 cache. Static. Default 8. */
  readonly group?: number;
  /**
   * "grouped": bands of `group` rows, each column by column (default). "hilbert": Hilbert curves through squares, then the edges that
   * the squares leave over. "row": along N first. "column": along M first.
   */
  readonly order?: "grouped" | "hilbert" | "row" | "column";
  /** Parts into which K is split; each tile comes once for each, all tiles of one part before the next. Default 1. */
  readonly splitK?: number;
  /** Tiles that the blocks of a cluster take together, static. Default [cluster.size, 1]: neighbours along M. */
  readonly cluster?: readonly [alongM: number, alongN: number];
  /** Of the tiles of a persistent block the one to begin with: 0 to `every` - 1. Default 0. */
  readonly from?: number;
  /** Of the tiles of a persistent block every second, third, …: warpgroups that alternate. Static. Default 1. */
  readonly every?: number;
}

const schedulerOptions = optionsOf<TileSchedulerOptions>("new TileScheduler()", {
  mode: true,
  group: true,
  order: true,
  splitK: true,
  cluster: true,
  from: true,
  every: true,
});

/** What a scheduler deals out: tiles of clusters, the blocks of one cluster side by side in each. */
export interface Plan {
  readonly mode: "grid" | "persistent";
  readonly order: TileOrder;
  /** In tiles of clusters. */
  readonly extents: Extents;
  /** Rows of a band, in tiles of clusters. */
  readonly group: number;
  readonly splits: Natural;
  readonly cluster: readonly [alongM: number, alongN: number];
  readonly from: Natural;
  readonly every: number;
}

const orders: readonly unknown[] = ["grouped", "hilbert", "row", "column"] satisfies readonly TileOrder[];
const modes: readonly unknown[] = ["grid", "persistent"];

/** W6601. */
function staticCount(x: unknown, what: string, staged = false): number {
  if (typeof x === "number" && Number.isInteger(x) && x >= 1 && x < 2 ** 31) return x;
  return failHere("W6601", { what, got: describe(x), staged });
}

/** W6601, W2017. */
function count(x: unknown, what: string): Natural {
  usable(x);
  if (isStaticNumber(x)) return staticCount(x, what, true);
  if (!isStagedScalar(x)) failHere("W6601", { what, got: describe(x), staged: true });
  return staged(x, what);
}

function staged(x: unknown, what: string, most?: number): Natural {
  const value = liftIndex(x, what);
  if (typeof value !== "object") return Number(value);
  if (value.type !== "i32" && value.type !== "u32") return failHere("W6601", { what, got: describe(x), staged: true });
  if (most === undefined) expectNatural(value, what);
  else expectUpTo(value, most, what);
  return unsigned(value);
}

/** A number from 0 on, and at most `most`; where it is one of the GPU, `debug` checks that. W6605, W2017. */
export function ordinal(x: unknown, what: string, most?: number): Natural {
  usable(x);
  if (isStagedScalar(x)) return staged(x, what, most);
  if (typeof x === "number" && Number.isInteger(x) && x >= 0 && x <= (most ?? x)) return x;
  return failHere("W6605", { what, got: describe(x), most });
}

/** W6603. */
function clusterOf(given: TileSchedulerOptions["cluster"]): readonly [number, number] {
  const size = activeTrace()?.options.launch.cluster.reduce((n, extent) => n * extent, 1);
  if (given === undefined) return [size ?? 1, 1];
  const [alongM, alongN] = [staticCount(given[0], "`cluster` along M"), staticCount(given[1], "`cluster` along N")];
  if (size !== undefined && alongM * alongN !== size) failHere("W6603", { alongM, alongN, size });
  return [alongM, alongN];
}

/** W6601–W6607, W2017. */
export function planOf(tiles: readonly [m: number, n: number], options: TileSchedulerOptions): Plan {
  if (!Array.isArray(tiles) || tiles.length !== 2)
    failHere("W6606", { got: Array.isArray(tiles) ? `an array of ${tiles.length}` : describe(tiles) });
  checkOptionsHere(options, schedulerOptions);
  const { mode = "grid", order = "grouped" } = options;
  if (!modes.includes(mode)) failHere("W6602", { what: "mode", known: '"grid" or "persistent"', got: describe(mode) });
  if (!orders.includes(order))
    failHere("W6602", { what: "order", known: '"grouped", "hilbert", "row" or "column"', got: describe(order) });
  for (const what of ["from", "every"] as const) if (mode === "grid" && options[what] !== undefined) failHere("W6604", { what });
  const cluster = clusterOf(options.cluster);
  const every = staticCount(options.every ?? 1, "`every`");
  const plan: Plan = {
    mode,
    order,
    extents: {
      alongM: covering(count(tiles[0], "the number of tiles along M"), cluster[0]),
      alongN: covering(count(tiles[1], "the number of tiles along N"), cluster[1]),
    },
    group: Math.ceil(staticCount(options.group ?? 8, "`group`") / cluster[0]),
    splits: count(options.splitK ?? 1, "`splitK`"),
    cluster,
    from: ordinal(options.from ?? 0, "`from`", every - 1),
    every,
  };
  checkTotal(plan);
  return plan;
}

/** A tile's number is an i32. W6607. */
function checkTotal({ extents: { alongM, alongN }, splits, cluster }: Plan): void {
  const total = [alongM, alongN, splits, ...cluster].reduce((n: number, x) => n * (typeof x === "number" ? x : 1), 1);
  if (total >= 2 ** 31) failHere("W6607", { total });
}
