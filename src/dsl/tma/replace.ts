import { elementBytes } from "../../base/element-types.ts";
import type { Im2colMap, TiledMap } from "../../base/tensor-map.ts";
import type { DType } from "../../base/types.ts";
import { constant, first, mul, toInt } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { allocate } from "../memory/shared-memory.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { Index, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/describe.ts";
import { lift, liftIndex } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";

/** What `replace` changes in a map; the rest stays. W2601. */
export interface MapChanges<D extends DType> {
  /** A part of a tensor that begins where the map is to begin: at a multiple of 16 bytes. */
  address?: Tensor<D>;
  /** Elements per dimension, outermost first. */
  shape?: readonly number[];
  /** Elements from one to the next in each dimension but the innermost, outermost first: multiples of 16 bytes. */
  strides?: readonly Index[];
}

/** Bytes of a tensor map, which begins at a multiple of as many. PTX ISA 5.5.8. */
const mapBytes = 128;

/** The value of the map that lies in memory of a kernel. W4521. */
export function mapAt(room: unknown): Value {
  const trace = currentTrace("at");
  const refuse = (what: string, why: string): never => failHere("W4521", { what, why });
  if (!(room instanceof TensorObject)) return refuse(describe(room), "it is no part of a tensor");
  const [dim, ...more] = room.parts.dims;
  if (room.dtype !== "u8" || more.length > 0 || dim?.extent !== mapBytes || dim.stride !== 1)
    refuse(room.what, `it is not ${mapBytes} bytes in a row`);
  return first(trace.emit("map.at", { view: room.checked(trace) }, {}, { types: ["tensormap"] }));
}

/** Numbers for the dimensions of a map, as many as it has. W4522. */
function listed(values: readonly unknown[] | undefined, count: number, what: string): readonly unknown[] {
  if (values === undefined) return [];
  if (!Array.isArray(values) || values.length !== count)
    failHere("W4522", { given: Array.isArray(values) ? values.length : 0, wanted: count, what });
  return values.toReversed();
}

function readExtent(extent: unknown): Value {
  if (typeof extent === "number" && !(Number.isInteger(extent) && extent >= 1 && extent < 2 ** 31))
    failHere("W3025", { what: "an extent of a tensor map", given: String(extent), allowed: "a whole number from 1 on" });
  return lift(extent, "i32", "an extent of a tensor map");
}

/** A stride in bytes. */
function readStride(trace: Trace, stride: unknown, dtype: DType): Value {
  const bytes = elementBytes[dtype];
  const elements = liftIndex(stride, "a stride of a tensor map");
  if (typeof elements === "object") return mul(trace, toInt(trace, elements, "i64"), bytes);
  const known = Number(elements) * bytes;
  if (known < 0 || known % 16 !== 0) {
    const allowed = `a multiple of ${16 / bytes} elements, which are 16 bytes`;
    failHere("W3025", { what: "a stride of a tensor map", given: String(elements), allowed });
  }
  return constant(trace, BigInt(known), "i64");
}

/** Makes the map at `to` of that at `from`. W3025, W4521–W4523. */
export function emitReplace(
  map: { readonly dtype: DType; readonly box: readonly number[]; readonly map: TiledMap | Im2colMap },
  from: Value,
  to: Value,
  { address, shape, strides }: MapChanges<DType>,
): void {
  const trace = currentTrace("replace");
  const rank = map.box.length;
  if (map.map.mode === "im2col") failHere("W4523", {});
  const part: unknown = address;
  if (part !== undefined && !(part instanceof TensorObject && part.dtype === map.dtype))
    failHere("W4521", {
      what: part instanceof TensorObject ? part.what : describe(part),
      why: `it is no tensor of ${map.dtype}`,
    });
  const extents = listed(shape, rank, "extents").map(readExtent);
  const steps = listed(strides, rank - 1, "strides").map((s) => readStride(trace, s, map.dtype));
  const { base: through } = allocate(trace, mapBytes, mapBytes, "map");
  const view = part instanceof TensorObject ? part.checked(trace) : undefined;
  trace.emit("map.replace", { from, to, through, address: view, extents, strides: steps }, {});
}
