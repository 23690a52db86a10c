import { TMA, type TensorSpec } from "warpsmith";

/** How a product is cut up. */
export interface Plan {
  /** Rows and columns of the tile of C that a block computes, and how far along K it goes at a time. */
  readonly tile: readonly [m: number, n: number, k: number];
  readonly warpgroups: 1 | 2;
  /** Tiles of A and B that have room in shared memory. */
  readonly stages: number;
  /** B is given as [N, K]. Default false: as [K, N]. */
  readonly transposed?: boolean;
  /** Blocks that must fit one multiprocessor. Default 1. */
  readonly blocksPerSM?: number;
}

/** What one warpgroup computes of a tile, and how many warpgroups lie one above the other. They share rows first: wgmma has 64 of them. */
export function partOf({ tile: [m, n], warpgroups }: Pick<Plan, "tile" | "warpgroups">) {
  const down = Math.min(warpgroups, m / 64), across = warpgroups / down;
  return { rows: m / down, columns: n / across, down, across };
}

/** Columns in which C leaves: at most 64, as many f16 as a swizzle of 128 bytes spans. */
export const panelOf = (plan: Pick<Plan, "tile" | "warpgroups">) => Math.min(64, partOf(plan).columns);

export const swizzleOf = (columns: number) => (columns < 64 ? "64B" : "128B");

/** A matrix on a device, or what stands in for it where a kernel is only compiled. */
export type Matrix = TensorSpec<"f16", 2>;
export type Maps = readonly [a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: TMA<"f16", 2>];

/** The tensor maps of A, B and C. */
export function mapsOf(a: Matrix, b: Matrix, c: Matrix, plan: Plan): Maps {
  const [m, , k] = plan.tile, { rows, columns } = partOf(plan), panel = panelOf(plan);
  const right = plan.transposed ? ({ box: [columns, 64], swizzle: "128B" } as const) : ({ box: [k, panel], swizzle: swizzleOf(panel) } as const);
  return [
    new TMA(a, { box: [m, 64], swizzle: "128B" }),
    new TMA(b, right),
    new TMA(c, { box: [rows, panel], swizzle: swizzleOf(panel) }),
  ];
}
