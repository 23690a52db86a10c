/** How the reports name threads and memory. */

import type { Triple } from "../../machine/launch.ts";
import { type Names, nameAt } from "../../machine/memory-names.ts";

/** What names a block: not all that there is of it. */
export interface NamedBlock {
  readonly index: Triple;
}
export interface NamedWarp {
  readonly index: number;
  readonly block: NamedBlock;
}

/** "block (1, 0, 0)". */
export const blockName = (block: NamedBlock): string => `block (${block.index.join(", ")})`;

/** "warp 4 of block (1, 0, 0)". */
export const warpName = (warp: NamedWarp): string => `warp ${warp.index} of ${blockName(warp.block)}`;

/** "thread 133 of block (1, 0, 0)". */
export const threadName = (warp: NamedWarp, lane: number): string =>
  `thread ${32 * warp.index + lane} of ${blockName(warp.block)}`;

export const hex = (address: number): string => `0x${address.toString(16)}`;

/** "16 bytes of shared memory at 0x8400". */
export const memoryName = (space: string, address: number, bytes: number, names?: Names): string =>
  `${bytes} ${bytes === 1 ? "byte" : "bytes"} of ${space} memory at ${hex(address)}${names ? nameAt(names, space, address) : ""}`;

/** "0x8400", and what the author calls it. */
export const barrierName = (address: number, names: Names): string => `${hex(address)}${nameAt(names, "shared", address)}`;
