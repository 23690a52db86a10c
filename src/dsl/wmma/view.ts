import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import { type FragmentType, fragmentExtents, isWmmaShape, type Value, type WmmaFragment, wmmaHas } from "../../ir/index.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import { describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import { threadsOf } from "../trace/partition.ts";
import type { Trace } from "../trace/trace.ts";

/** M, N and K of a product of one warp. PTX ISA 9.7.14.4. */
export type WMMAShape = readonly [m: number, n: number, k: number];

/** A matrix in the author's words. */
export const useName = (use: WmmaFragment): string => use.toUpperCase();

/** The shape that a type has where the author names none. */
function usualShape(dtype: DType): WMMAShape {
  if (dtype === "tf32") return [16, 16, 8];
  return dtype === "f64" ? [8, 8, 4] : [16, 16, 16];
}

const shown = (x: unknown): string => (typeof x === "number" ? String(x) : "?");

/** The type of a matrix. W6301, W6307. */
export function fragmentTypeOf(
  trace: Trace,
  use: WmmaFragment,
  dtype: DType,
  given: unknown,
  major?: "row" | "col",
): FragmentType {
  if (threadsOf(trace) % 32 !== 0) failHere("W6307", { threads: threadsOf(trace) });
  const extents: readonly unknown[] = given === undefined ? usualShape(dtype) : Array.isArray(given) ? given : [given];
  const [m, n, k] = extents.map(shown);
  const shape = extents.length === 3 ? `m${m}n${n}k${k}` : "";
  if (!isWmmaShape(shape) || !wmmaHas(use, shape, dtype))
    return failHere("W6301", { use: useName(use), dtype, shape: extents.map(shown).join(", ") });
  return { kind: "fragment", use, dtype, shape, major };
}

/** A view of a matrix. */
export interface MatrixView {
  readonly dtype: DType;
  readonly extents: readonly unknown[];
  /** Whether its columns, and not its rows, lie in one piece each. */
  readonly major: "row" | "col";
  value(trace: Trace): Value;
}

/** A view of shared or global memory, as the author gave it. W6308, W3028. */
export function readMatrixView(given: unknown): MatrixView {
  if (given instanceof SharedViewObject) {
    const { layout, dtype } = given.parts.type;
    const steps = layout.map((d) => d.at(-1)?.stride);
    const major = (steps[0] ?? 0) < (steps[1] ?? 0) ? "col" : "row";
    return { dtype, extents: given.shape, major, value: (trace) => given.used(trace) };
  }
  if (!(given instanceof TensorObject)) return failHere("W6308", { given: describe(given) });
  const [rows, cols] = given.parts.dims;
  const major = cols?.stride !== 1 && rows?.stride === 1 ? "col" : "row";
  return { dtype: given.dtype, extents: given.parts.dims.map((d) => d.extent), major, value: (trace) => given.whole(trace) };
}

/** W6302. */
export function checkExtents(type: FragmentType, { extents }: MatrixView): void {
  const wanted = fragmentExtents(type);
  if (extents.length !== 2 || wanted.some((n, d) => extents[d] !== n))
    failHere("W6302", { use: useName(type.use), wanted: wanted.join(", "), given: extents.map(shown).join(", ") });
}

/** W6301, W6302, W6307, W6308. */
export function loadMatrix(
  trace: Trace,
  use: WmmaFragment,
  from: unknown,
  shape: unknown,
): { readonly value: Value; readonly type: FragmentType } {
  const view = readMatrixView(from);
  const type = fragmentTypeOf(trace, use, view.dtype, shape, use === "c" ? undefined : view.major);
  checkExtents(type, view);
  return { value: first(trace.emit("fragment.load", { view: view.value(trace) }, {}, { types: [type] })), type };
}
