import { BlockedLayout, SliceLayout } from "warpsmith";

/** Eight lanes take a row's 128 bytes, 16 each, and a warp four rows. Eight warps, one above the other. */
export const rows = new BlockedLayout({ perThread: [1, 4], threads: [4, 8], warps: [8, 1], order: [1, 0] });

/** The same turned round: eight lanes take 128 bytes of a column. */
export const columns = new BlockedLayout({ perThread: [4, 1], threads: [8, 4], warps: [1, 8], order: [0, 1] });

/** One element for each lane, 32 side by side. */
export const single = new BlockedLayout({ perThread: [1, 1], threads: [1, 32], warps: [8, 1], order: [1, 0] });

/** A row for each lane: what a loop over `x[threadIdx.x][j]` does. */
export const rowEach = new BlockedLayout({ perThread: [1, 4], threads: [32, 1], warps: [8, 1], order: [1, 0] });

/** What is left of `rows` when the columns are gone, and when the rows are. */
export const ofRows = new SliceLayout(1, rows);
export const ofColumns = new SliceLayout(0, rows);
