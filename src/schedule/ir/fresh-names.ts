/** Names for blocks and buffers that rewriting adds to a program. */
import type { Program } from "./types.ts";
import { blocksOf } from "./walk.ts";

/** The name, or the first of `name_1`, `name_2`, … that is not taken. */
export function freshName(name: string, taken: ReadonlySet<string>): string {
  let fresh = name;
  for (let i = 1; taken.has(fresh); i++) fresh = `${name}_${i}`;
  return fresh;
}
/** A name for a block that no block of the program has. */
export const freshBlockName = (p: Program, name: string): string => freshName(name, new Set(blocksOf(p).map((b) => b.name)));
/** A name for a buffer that no buffer of the program has. */
export const freshBufferName = (p: Program, name: string): string =>
  freshName(name, new Set([...p.params, ...p.buffers].map((b) => b.name)));
