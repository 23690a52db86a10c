import type { Dim3 } from "../../types.ts";
import { type Known, Lanes } from "./values.ts";

/** Which block it is, and what launches are made of. */
export interface BlockPlace {
  /** Undefined where it is to stand for any of them. */
  readonly at: Dim3 | undefined;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly cluster: Dim3;
}

const axes = ["x", "y", "z"];

function rankInCluster([x, y, z]: Dim3, [cx, cy, cz]: Dim3): number {
  return (x % cx) + cx * ((y % cy) + cy * (z % cz));
}

function ofThreads(threads: number, of: (thread: number) => number, high: number): Lanes {
  return new Lanes(() => Array.from({ length: threads }, (_, thread) => of(thread)), 0, high);
}

/** What a special register holds in the threads of a block. */
export function registerValue(register: string, { at, grid, block, cluster }: BlockPlace, threads: number): Known {
  const [name = "", axisName = "x"] = register.split(".");
  const axis = Math.max(0, axes.indexOf(axisName));
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
      return at ? at[axis] : new Lanes(() => Array(threads).fill(undefined), 0, (grid[axis] ?? 1) - 1);
    case "clusterid":
      return at && Math.floor((at[axis] ?? 0) / (cluster[axis] ?? 1));
    case "cluster_ctarank":
      return at && rankInCluster(at, cluster);
    default:
      return undefined;
  }
}
