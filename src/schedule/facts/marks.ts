/** What passes write on statements for those that come after them. */
import type { Annotations, For, Stmt, Store } from "../ir/types.ts";

/** Of a block: its copies from global to shared memory go on while the thread does something else. */
export const isAsync = (annotations: Annotations): boolean => annotations.async === true;

/** Of a loop whose iterations could be blocks of the launch: none touches what another one writes to global memory. */
export const isIndependent = ({ annotations }: For): boolean => annotations.independent === true;

/** Of a vectorised loop: its iterations are one access each of so many neighbours. */
export const vectorWidth = ({ annotations }: For): number | undefined =>
  typeof annotations.vector === "number" ? annotations.vector : undefined;

/** The store that a statement consists of, and whether it is an asynchronous copy. */
export function onlyStore(s: Stmt, async = false): { readonly store: Store; readonly async: boolean } | undefined {
  if (s.kind === "store") return { store: s, async };
  return s.kind === "block" ? onlyStore(s.body, async || isAsync(s.annotations)) : undefined;
}
