/** What conditions say: their terms, and of the ends of buffers, that an element is read, or written, where the buffer has it. */
import { and, intOf, isTrue, sub } from "./build.ts";
import { type Known, simplify } from "./simplify.ts";
import type { Buffer, Expr, Load } from "./types.ts";

/** The terms of a condition. */
export const termsOf = (e: Expr | undefined): readonly Expr[] =>
  !e ? [] : e.kind === "binary" && e.op === "&&" ? [...termsOf(e.a), ...termsOf(e.b)] : [e];
export const allOf = (terms: readonly Expr[]): Expr | undefined =>
  terms.length === 0 ? undefined : terms.reduce((a, b) => (isTrue(a) ? b : and(a, b)));

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
