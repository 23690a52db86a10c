import type { Dim3 } from "../../../base/types.ts";
import { type Known, Lanes } from "./values.ts";

/** Blocks from one place of the grid to another, both included. */
export interface BlockRange {
  readonly first: Dim3;
  readonly last: Dim3;
}

/** Which blocks are looked at, and what launches are made of. */
export interface BlockPlace extends BlockRange {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly cluster: Dim3;
  /** Blocks of the range that differ in what they do count as if nothing were known of which they are. */
  readonly unsure: boolean;
}

/** Blocks of a range differ in what they do: it has to be looked at in parts. */
export class BlocksDiffer extends Error {}

const axes = ["x", "y", "z"];

function rankInCluster([x, y, z]: Dim3, [cx, cy, cz]: Dim3): number {
  return (x % cx) + cx * ((y % cy) + cy * (z % cz));
}

/** A number that may be another one in each block. */
function ofBlocks(low: number, high: number, threads: number, unsure: boolean): Known {
  if (low === high) return low;
  const make = (): readonly undefined[] => {
    if (!unsure) throw new BlocksDiffer();
    return Array(threads).fill(undefined);
  };
  return new Lanes(make, low, high);
}

function ofThreads(threads: number, of: (thread: number) => number, high: number): Lanes {
  return new Lanes(() => Array.from({ length: threads }, (_, thread) => of(thread)), 0, high);
}

/** What a special register holds in the threads of a block. */
export function registerValue(register: string, place: BlockPlace, threads: number): Known {
  const { first, last, grid, block, cluster, unsure } = place;
  const [name = "", axisName = "x"] = register.split(".");
  const axis = Math.max(0, axes.indexOf(axisName));
  const [low, high, blocks] = [first[axis] ?? 0, last[axis] ?? 0, cluster[axis] ?? 1];
  if (register === "warp.index") return ofThreads(threads, (t) => t >> 5, (threads - 1) >> 5);
  switch (name) {
    case "tid": {
      const [before, own] = [block.slice(0, axis).reduce((product, n) => product * n, 1), block[axis] ?? 1];
      return ofThreads(threads, (t) => Math.floor(t / before) % own, own - 1);
    }
    case "laneid":
      return ofThreads(threads, (t) => t & 31, Math.min(31, threads - 1));
    case "nctaid":
      return grid[axis];
    case "ctaid":
      return ofBlocks(low, high, threads, unsure);
    case "clusterid":
      return ofBlocks(Math.floor(low / blocks), Math.floor(high / blocks), threads, unsure);
    case "cluster_ctarank": {
      const alone = first.every((at, i) => at === last[i]);
      const rank = rankInCluster(first, cluster);
      return alone ? rank : ofBlocks(0, cluster[0] * cluster[1] * cluster[2] - 1, threads, unsure);
    }
    default:
      return undefined;
  }
}
