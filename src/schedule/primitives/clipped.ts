/** What conditions say of the ends of buffers: an element is read, or written, where the buffer has it. */
import { intOf, sub } from "../ir/build.ts";
import { type Known, simplify } from "../ir/simplify.ts";
import type { Buffer, Expr, Load } from "../ir/types.ts";
import { termsOf } from "./reduction.ts";

/** Whether two indices are surely the same. */
export const sameIndex = (a: Expr, b: Expr | undefined, known: Known): boolean =>
  b !== undefined && intOf(simplify(sub(a, b), known)) === 0;

/** Whether a condition asks if the buffer has one of these indices, and nothing else. */
export function isBound(test: Expr, buffer: Buffer, indices: readonly Expr[], known: Known): boolean {
  if (test.kind !== "binary" || test.op !== "<") return false;
  return indices.some((index, d) => sameIndex(test.a, index, known) && sameIndex(test.b, buffer.shape[d], known));
}

/** What of a buffer is read where it has that element, and is 0 elsewhere: what a part that is clipped reads. */
export function clippedLoad(e: Expr, known: Known): Load | undefined {
  if (e.kind !== "select" || e.yes.kind !== "load" || e.no.kind !== "const" || !Object.is(e.no.value, 0)) return undefined;
  const { yes, condition } = e;
  return termsOf(condition).every((t) => isBound(t, yes.buffer, yes.indices, known)) ? yes : undefined;
}
