import type { i32, Tensor } from "warpsmith";
import { fail } from "../../errors.ts";

/** Queries of a block of a mask, and keys. */
export interface MaskBlock {
  readonly queries: 64 | 128 | 256;
  readonly keys: 64 | 128 | 256;
}

/** Of masks whose author says nothing. */
export const USUAL_BLOCK: MaskBlock = Object.freeze({ queries: 128, keys: 128 });

/** Tensors that a mask function may look at, as a kernel has them. */
export type MaskTensors = Readonly<Record<string, Tensor>>;

/** Whether a query sees a key. */
export type Visible = (query: number, key: number, head: number, batch: number, data: never) => boolean;

/**
 * Which blocks of keys blocks of queries visit. `counts` [batches, heads, blocks of queries, 2]: how many have no hidden key for any of the queries, and how many are to be masked. `blocks`
 * [batches, heads, blocks of queries, blocks of keys] has the numbers of the first at its beginning, and those of the others at its end. 1 batch, or 1 head, stands for all.
 */
export interface MaskLists {
  readonly counts: Tensor<"i32", 4>;
  readonly blocks: Tensor<"i32", 4>;
  /** Of packed sequences, where those of queries and of keys began when blocks were listed: [2, sequences + 1]. */
  readonly begins?: Tensor<"i32", 2>;
}

/** W7692. */
const refuseResult = (name: string, given: string): never => fail("W7692", { name, given });

/** What the author's function gives, which is a truth value. */
export function isSeen(visible: Visible, query: i32, key: i32, head: i32, batch: i32, data: MaskTensors): boolean {
  "use kernel";
  // The function and its data come together, and have been checked: `Visible` takes whatever data.
  const seen = visible(query, key, head, batch, data as never);
  return typeof seen === "boolean" ? seen : refuseResult(visible.name, typeof seen);
}

/** The numbers of the blocks that a block of queries visits: of `count` positions the first `full` are of blocks without a hidden key; the others lie `gap` further on. */
export interface List {
  readonly numbers: Tensor<"i32", 1>;
  readonly full: number;
  readonly count: number;
  readonly gap: number;
  /** Keys of a block of the mask. */
  readonly keys: number;
}

/** Of the `at`-th block of queries. */
export function listOf({ counts, blocks }: MaskLists, block: MaskBlock, at: i32, head: i32, batch: i32): List {
  "use kernel";
  const h = blocks.shape[1] === 1 ? 0 : head;
  const b = blocks.shape[0] === 1 ? 0 : batch;
  const full = counts.at(b, h, at, 0).load();
  const count = full + counts.at(b, h, at, 1).load();
  return { numbers: blocks.at(b, h, at), full, count, gap: blocks.shape[3] - count, keys: block.keys };
}

/** The number of the block of `keys` keys at a position of the list, in blocks of as many: several of them are one of the mask. */
export function numberIn({ numbers, full, gap, keys: keysOfBlock }: List, position: i32, keys: number): number {
  "use kernel";
  const parts = keysOfBlock / keys;
  const at = Math.trunc(position / parts);
  const number = numbers.at(at < full ? at : at + gap).load();
  return number * parts + (position - at * parts);
}
