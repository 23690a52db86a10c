/**
 * Copies by TMA, as families. `tma_load_<dtype>_<rows>x<columns>_<swizzle>` brings a part of a matrix in global memory to shared memory, where
 * its rows are permuted by that swizzle ("none": not at all). `tma_load_<dtype>_<rows>x<columns>_pad<elements>` brings it to rows with so many elements
 * put in after each, as `storageAlign` does it: boxes are that much wider than the part, so that they fill such rows. What they bring behind the
 * part is nobody's: no index leads there. What lies beyond the matrix is 0. One thread has it done. PTX ISA 9.7.9.27.
 */

import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import type { SharedView } from "../../dsl/emit.ts";
import { binary, fence, type Mbarrier, Mbarriers } from "../../dsl/emit.ts";
import type { Buffer } from "../ir/types.ts";
import { clipped, copyOf, part } from "./describe.ts";
import { type Fields, wholeNumber } from "./family.ts";
import { intrinsicFamily, type MappedPart, type MapRequest, type Surroundings, type TensorIntrinsicParts } from "./registry.ts";

/** Bytes of a row that a swizzle permutes. */
const widths = { "128B": 128, "64B": 64, "32B": 32, none: Number.POSITIVE_INFINITY } as const;
type Swizzle = keyof typeof widths;
const isSwizzle = (word: string | undefined): word is Swizzle => word !== undefined && Object.hasOwn(widths, word);

const types: readonly DType[] = ["f16", "bf16", "f32", "tf32", "i8", "u8", "i32"];
/** The most rows, and the most elements of a row, that one instruction moves. */
const mostAlong = 256;
const granularity = 16;

/** The greatest divisor of `n` that is at most `most`. */
function divisorUpTo(n: number, most: number): number {
  for (let d = Math.min(n, most); d > 1; d--) if (n % d === 0) return d;
  return 1;
}

/** The box of a map whose boxes together are a part of so many rows and columns; or why there is none. */
export function mapFor(dtype: DType, rows: number, columns: number, swizzle: Swizzle): MapRequest | string {
  const bytes = columns * elementBytes[dtype];
  const width = widths[swizzle];
  if (bytes % granularity !== 0) return `a row of ${columns} has ${bytes} bytes, and TMA moves multiples of ${granularity}`;
  const across = Math.min(columns, width / elementBytes[dtype]);
  if (across > mostAlong) return `a row of ${columns} is longer than the ${mostAlong} elements of a box`;
  const rest = columns % across;
  return { box: [divisorUpTo(rows, mostAlong), across], swizzle, ...(rest > 0 ? { rest } : {}) };
}

/** The box of a map whose boxes together are a part and so many columns behind it: a row of it is one box. Or why there is none. */
export function paddedMapFor(dtype: DType, rows: number, columns: number, padding: number): MapRequest | string {
  const bytes = (n: number): number => n * elementBytes[dtype];
  if (bytes(padding) % granularity !== 0)
    return `${padding} elements after a row are ${bytes(padding)} bytes, and TMA moves multiples of ${granularity}`;
  if (columns + padding > mostAlong)
    return `a row of ${columns} and the ${padding} elements after it are longer than the ${mostAlong} elements of a box`;
  const request = mapFor(dtype, rows, columns + padding, "none");
  return typeof request === "string" ? request : { ...request, padding };
}

/** The intrinsic that copies so many rows and columns, with the map that is made for them. */
function copies(
  name: string,
  { dtype, rows, columns }: Fields,
  laidOut: Pick<Buffer, "swizzle" | "padding">,
  mapOf: (dtype: DType, rows: number, columns: number) => MapRequest | string,
): TensorIntrinsicParts | string {
  const type = types.find((t) => t === dtype);
  if (!type) return `it copies ${types.join(", ")}, not ${dtype}`;
  const [m, n] = [wholeNumber(rows), wholeNumber(columns)];
  if (m === undefined || n === undefined) return `${rows}x${columns} are no rows and columns`;
  const request = mapOf(type, m, n);
  if (typeof request === "string") return request;
  const from = clipped(part("source", type, [m, n], "global"));
  const to = { ...part("target", type, [m, n], "shared"), ...laidOut };
  return {
    participants: "thread",
    proxy: "async",
    description: copyOf(name, from, to, [m, n]),
    beside: [],
    maps: { source: request },
    implementation: (source: MappedPart, view: SharedView, { barrier }: Surroundings) => {
      if (barrier) loadPanels(source, request, view, barrier);
      else loadAndWait(source, request, view, m * (n + (request.padding ?? 0)) * elementBytes[type]);
    },
  };
}

// Before those that are swizzled: "pad8" is no swizzle.
intrinsicFamily({
  names: "tma_load_<dtype>_<rows>x<columns>_pad<elements>",
  takes: `${types.join(", ")}; rows and columns; elements after each row, of a multiple of ${granularity} bytes`,
  make: (name, fields) => {
    const padding = wholeNumber(fields.elements);
    if (padding === undefined) return `${fields.elements} is no number of elements from 1 on`;
    return copies(name, fields, { padding }, (...of) => paddedMapFor(...of, padding));
  },
});
intrinsicFamily({
  names: "tma_load_<dtype>_<rows>x<columns>_<swizzle>",
  takes: `${types.join(", ")}; rows and columns; 128B, 64B, 32B or none`,
  make: (name, fields) => {
    const { swizzle } = fields;
    if (!isSwizzle(swizzle)) return `${swizzle} is none of ${Object.keys(widths).join(", ")}`;
    return copies(name, fields, swizzle === "none" ? {} : { swizzle }, (...of) => mapFor(...of, swizzle));
  },
});

/** Whole boxes of rows, and the rest of them. The copy is clipped: boxes may lie outside. */
function loadPanels({ map, rest, coords }: MappedPart, request: MapRequest, view: SharedView, barrier: Mbarrier): void {
  const [rows = 1, columns = 1] = view.shape;
  const [col, ...outer] = coords;
  const whole = columns - (request.rest ?? 0);
  const options = { outside: true };
  // The rank is a value here; the intrinsic is of this one.
  map.load(whole === columns ? view : view.subview([0, 0], [rows, whole]), barrier, coords as never, options);
  // The rank is a value here; the intrinsic is of this one.
  rest?.load(view.subview([0, whole], [rows, columns - whole]), barrier, [binary("+", col, whole), ...outer] as never, options);
}

/** A copy that the thread waits for: of a loop that nobody has specialized. */
function loadAndWait(source: MappedPart, request: MapRequest, view: SharedView, bytes: number): void {
  const complete = new Mbarriers(1).at(0);
  complete.init(1);
  fence.mbarrierInit();
  fence.proxyAsync({ space: "shared::cta" }); // what this thread has stored there comes before
  complete.arrive({ tx: bytes });
  loadPanels(source, request, view, complete);
  complete.wait(false);
  complete.invalidate();
}
