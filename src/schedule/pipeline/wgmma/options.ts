/** What `tensorCorePipeline` takes for products of warpgroups. */
import { optionsOf } from "../../../base/diag/index.ts";

/** How a product is laid over blocks and warpgroups. */
export interface WgmmaPipelineOptions {
  /** Products of whole warpgroups, out of shared memory that TMA fills. */
  readonly instruction: "wgmma";
  /** Rows, columns and summands of a block's tile, in elements. Summands at a time are 128 bytes: 64 of f16. */
  readonly tile: readonly [m: number, n: number, k: number];
  /** Threads that multiply: 128 along x are a warpgroup, those along y divide the rows of the tile. One warpgroup more copies. */
  readonly workgroup: readonly [x: number, y: number, z: number];
  /** Tiles of A and B that are in shared memory at a time: one is multiplied, the others are on their way. */
  readonly depth: number;
  /** Blocks of the launch, each of which computes several tiles one after the other. Default: one for each tile. */
  readonly blocks?: number;
  /** Blocks take so many rows of tiles at a time, so that neighbours find what they read in the cache. Default: 1, row by row. */
  readonly swizzle?: number;
  /**
   * Whether the warpgroups of `workgroup`, 2 or 3, take turns at tiles, each at a `tile` of its own: while one multiplies the others store. It takes
   * `blocks`, fewer than there are tiles. Default: false, all of them make one tile together.
   */
  readonly pingpong?: boolean;
  /** Products that may still run when the next tiles of A and B are waited for. Default: 1. */
  readonly wait?: 0 | 1;
  /**
   * Who stores what is computed: TMA, out of shared memory that a warpgroup, or each warp, fills; or threads, each its own registers. Default: "warpgroup";
   * "thread" where rows of the result end at no multiple of 16 bytes, as TMA would write on to the next one (W7675).
   */
  readonly stores?: "warpgroup" | "warp" | "thread";
  /**
   * Panels of 8 KiB at most for each warpgroup that TMA stores out of at a time, 2 to 8: results of f32 fill them faster than it empties two. Default: 2.
   */
  readonly panels?: number;
  /** Lets the tile not divide the shape: TMA fills with zeros what lies outside of A and B, and nothing outside of C is stored. Default: false. */
  readonly pad?: boolean;
}

export const knownWgmmaOptions = optionsOf<WgmmaPipelineOptions>("tensorCorePipeline()", {
  instruction: true,
  tile: true,
  workgroup: true,
  depth: true,
  blocks: true,
  swizzle: true,
  pingpong: true,
  wait: true,
  stores: true,
  panels: true,
  pad: true,
});
