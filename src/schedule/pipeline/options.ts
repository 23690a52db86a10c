/** What `tensorCorePipeline` takes. */
import { optionsOf } from "../../base/diag/index.ts";

/** How a product is laid over blocks, warps and instructions. */
export interface TensorCorePipelineOptions {
  /** Rows, columns and summands of a block's tile, in elements; with a batch before them, which is 1. */
  readonly tile: readonly number[];
  /** Threads of a block along x, y and z: 32 along x are a warp; warps along x divide the columns of the tile, those along y its rows. */
  readonly workgroup: readonly number[];
  /** Tiles of A and B that are in shared memory at a time: one is multiplied, the others are on their way. 1: nothing overlaps. */
  readonly depth: number;
  /** The stage that copies end in. It is 1: what was loaded is stored before the next products. */
  readonly storeStage: number;
  /**
   * The instructions that multiply. Default: "wmma". "mma.sync" takes rows of shared memory swizzled in place of padded, two groups of summands
   * in a tile and a depth of 3 at least.
   */
  readonly instruction?: "wmma" | "mma.sync";
  /**
   * Whether what a group of products reads is loaded into registers before the products of the group before it, that of the next tile's
   * first group included. It takes two groups of summands in a tile and a depth of 3 at least. Default: with "mma.sync".
   */
  readonly doubleBuffer?: boolean;
  /** Where a block keeps its sums besides registers: in shared memory, from where threads store 16 bytes each, or nowhere. Default: "shared". */
  readonly promoteC?: "shared" | "registers";
  /**
   * Where instructions take A and B from: tiles in shared memory, or "global" memory itself, where nothing is computed of them on the way. Default:
   * "shared"; "global" where one warp alone makes the tile.
   */
  readonly promoteOperands?: "shared" | "global";
  /**
   * Who copies tiles of A and B to shared memory: each thread a part of them, or TMA, for a warpgroup of its own that runs nothing else, while the threads of `workgroup`
   * multiply: `depth` tiles are there or on their way. "tma" is for "wmma", for whole warpgroups, and for A and B as they are; with `pad` it fills zeros by itself. Default: "cp.async".
   */
  readonly copies?: "cp.async" | "tma";
  /** Bits that a thread moves at a time where it copies tiles: a power of two from one element's to 128. Below 32 copies are not asynchronous. Default: 128. */
  readonly copyBits?: number;
  /** Blocks take tiles of so many rows of tiles at a time, so that neighbours find what they read in the cache. Default: 1, row by row. */
  readonly swizzle?: number;
  /** Whether the last iterations stand behind the loop, or the loop skips what is not there. Default: "predicated"; with "mma.sync" "peeled". */
  readonly epilogue?: "predicated" | "peeled";
  /**
   * Elements between rows in shared memory, of 128 bits at least. Default: 128 bits, so that eight rows lie in other banks, with "mma.sync" a swizzle
   * in their place; 0: none.
   */
  readonly padding?: number;
  /**
   * Lets shapes that the tile does not divide be padded with zeros, while tiles are copied to shared memory: element by element, and with C's tile
   * there, too; with `copies: "tma"` TMA fills the zeros, and sums may stay in registers, where instructions divide C. Of a product with an init. Default: false.
   */
  readonly pad?: boolean;
}

export const knownOptions = optionsOf<TensorCorePipelineOptions>("tensorCorePipeline()", {
  tile: true,
  workgroup: true,
  depth: true,
  storeStage: true,
  instruction: true,
  doubleBuffer: true,
  promoteC: true,
  promoteOperands: true,
  copies: true,
  copyBits: true,
  swizzle: true,
  epilogue: true,
  padding: true,
  pad: true,
});
