import type { Value } from "../../ir/index.ts";
import { describe } from "../numbers/describe.ts";
import { liftIndex } from "../numbers/lift.ts";
import { refuseTriple } from "../numbers/triple.ts";
import { failHere } from "../trace/fail-here.ts";
import type { IndexValue } from "./index-value.ts";

/** An index as the author gave it: a static number, or an integer on the GPU. Static ones are checked against a static extent. */
export function readIndex(index: unknown, dimension: number, extent: number | Value, what: string): IndexValue {
  const i = liftIndex(index, `an index of ${what}`);
  if (typeof i === "object") return i;
  const at = Number(i);
  if (at < 0 || (typeof extent === "number" && at >= extent))
    failHere("W3001", { index: String(i), extent: typeof extent === "number" ? extent : 1, dimension, what });
  return at;
}

/** The offset of a part: static or staged, of either sign. */
function readOffset(offset: unknown, what: string): IndexValue {
  const i = liftIndex(offset, `an offset into ${what}`);
  return typeof i === "bigint" ? Number(i) : i;
}

const listed = (x: unknown): string =>
  Array.isArray(x) ? `[${x.map((e) => (typeof e === "number" ? e : "…")).join(", ")}]` : describe(x);
const isArrayOf = (x: unknown, length: number): x is readonly unknown[] => Array.isArray(x) && x.length === length;

/** The offset and shape of `subview`, one entry per dimension. The shape is static. */
export function readPart(
  offset: unknown,
  shape: unknown,
  rank: number,
  what: string,
): { readonly offsets: readonly IndexValue[]; readonly shape: readonly number[] } {
  if (!isArrayOf(offset, rank)) return failHere("W3008", { given: listed(offset), rank, what: "the offset" });
  if (!isArrayOf(shape, rank)) return failHere("W3008", { given: listed(shape), rank, what: "the shape" });
  return { offsets: offset.map((o) => readOffset(o, what)), shape: shape.map((s) => readExtent(s, "the shape of a part")) };
}

/** How far apart the elements of a part lie: a static number of elements for each dimension. Undefined where they are neighbours. W3008, W3013. */
export function readSteps(strides: unknown, rank: number): readonly number[] | undefined {
  if (strides === undefined) return undefined;
  if (!isArrayOf(strides, rank)) return failHere("W3008", { given: listed(strides), rank, what: "the strides" });
  const steps = strides.map((s) => readExtent(s, "the strides of a part"));
  return steps.every((step) => step === 1) ? undefined : steps;
}

/** The shape of what a part with strides reaches over. */
export const reachOf = (shape: readonly number[], steps: readonly number[]): number[] =>
  shape.map((count, d) => (count - 1) * (steps[d] ?? 1) + 1);

/** An extent or size that has to be known when the kernel is compiled. */
export function readExtent(x: unknown, what: string): number {
  refuseTriple(x);
  if (typeof x !== "number" || !Number.isSafeInteger(x) || x < 1)
    return failHere("W3013", { given: typeof x === "number" ? String(x) : "a value on the GPU", what });
  return x;
}

/** A permutation of the dimensions; reversed where none is given. */
export function readPermutation(permutation: readonly unknown[], rank: number): readonly number[] {
  if (permutation.length === 0) return Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const valid = permutation.length === rank && Array.from({ length: rank }, (_, i) => i).every((i) => permutation.includes(i));
  return valid
    ? (permutation as number[])
    : failHere("W3009", { given: permutation.map((p) => (typeof p === "number" ? p : "?")).join(", "), rank });
}
