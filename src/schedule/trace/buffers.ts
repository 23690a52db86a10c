import { exactMethods } from "../../base/diag/index.ts";
import { isElementType } from "../../base/element-types.ts";
import type { DType, Element } from "../../base/types.ts";
import { int, intOf, load } from "../ir/build.ts";
import type { Buffer as BufferData, Expr, Range, Region } from "../ir/types.ts";
import { ownFunction } from "./functions.ts";
import { lift, whole } from "./numbers.ts";
import { failGiven, Symbolic, symbolic } from "./symbolic.ts";
import { failHere, type Tracing } from "./tracing.ts";

/** An index with R - 1 to follow. */
type Elements<D extends DType, R extends number> = R extends 1
  ? { [index: number]: Element<D> }
  : R extends 2
    ? { readonly [index: number]: Elements<D, 1> }
    : R extends 3
      ? { readonly [index: number]: Elements<D, 2> }
      : R extends 4
        ? { readonly [index: number]: Elements<D, 3> }
        : R extends 5
          ? { readonly [index: number]: Elements<D, 4> }
          : { readonly [index: number]: Elements<D, 5> };

/** Dimension by dimension, where a part of a buffer begins and how many elements it has. */
export type RegionRange = readonly [min: number, extent: number];

/** A part of a buffer, for `reads`, `writes` and `intrinsic`. */
export interface BufferRegion {
  /** The part in words, for errors. */
  readonly describe: string;
}

/**
 * A buffer of a program: elements of type D in R dimensions. `X[i][j]` reads an element, `X[i][j] = v` and `X[i][j] += v` write one; in TypeScript
 * an element is a `number` or a `boolean`.
 */
export type Buffer<D extends DType = DType, R extends number = number> = Elements<D, R> & {
  /** Elements per dimension, outermost first: a number, or what stands for a size that only a launch knows. */
  readonly shape: readonly number[];
  /** The type of the elements. */
  readonly dtype: D;
  /** A part: in each dimension where it begins and how many elements it has. W5508, W5512. */
  region(...ranges: readonly RegionRange[]): BufferRegion;
};

export class BufferObject {
  readonly data: BufferData;
  readonly shape: readonly unknown[];

  constructor(data: BufferData) {
    this.data = data;
    this.shape = Object.freeze(data.shape.map((e) => intOf(e) ?? new Symbolic(e)));
  }
  get dtype(): DType {
    return this.data.dtype;
  }
  get describe(): string {
    return `the buffer ${this.data.name}`;
  }
  region(...ranges: readonly (readonly [unknown, unknown])[]): RegionObject {
    return new RegionObject(regionOf(this.data, ranges));
  }
  [Symbol.toPrimitive](): never {
    return failHere("W5519", { what: `the buffer ${this.data.name}` });
  }
}
exactMethods(BufferObject);

ownFunction(BufferObject.prototype.region);

/** A buffer with some of its indices. */
class Row {
  readonly data: BufferData;
  readonly indices: readonly Expr[];
  constructor(data: BufferData, indices: readonly Expr[]) {
    this.data = data;
    this.indices = indices;
  }
  get describe(): string {
    return `${this.data.name} with ${this.indices.length} of ${this.data.shape.length} indices`;
  }
  [Symbol.toPrimitive](): never {
    return failHere("W5512", {
      buffer: this.data.name,
      rank: this.data.shape.length,
      got: `${this.indices.length} ${this.indices.length === 1 ? "index is" : "indices are"} given`,
    });
  }
}

class RegionObject implements BufferRegion {
  readonly region: Region;
  constructor(region: Region) {
    this.region = region;
  }
  get describe(): string {
    return `a part of ${this.region.buffer.name}`;
  }
}

export const isIndexed = (x: unknown): x is BufferObject | Row => x instanceof BufferObject || x instanceof Row;

function regionOf(buffer: BufferData, ranges: readonly unknown[]): Region {
  if (ranges.length !== buffer.shape.length)
    failHere("W5512", { buffer: buffer.name, rank: buffer.shape.length, got: `${ranges.length} ranges are given` });
  return {
    buffer,
    ranges: ranges.map((range): Range => {
      if (!Array.isArray(range) || range.length !== 2)
        return failGiven(
          `a range of ${buffer.name}.region`,
          "a pair",
          range,
          "write where it begins and how many elements it has: `[i, 16]`",
        );
      return { min: whole(range[0], "where a range begins"), extent: whole(range[1], "the extent of a range") };
    }),
  };
}

/** Is it an index, and not the name of a member? */
export const isIndex = (key: unknown): boolean =>
  key instanceof Symbolic || typeof key === "number" || (typeof key === "string" && /^-?[\d.]+$/.test(key));

function indexOf(buffer: BufferData, key: unknown, dimension: number): Expr {
  const index = whole(typeof key === "string" ? Number(key) : key, `an index of ${buffer.name}`);
  const [at, extent] = [intOf(index), buffer.shape[dimension]];
  const length = extent && intOf(extent);
  if (at !== undefined && (at < 0 || (length !== undefined && at >= length)))
    failHere("W5513", { what: buffer.name, index: String(at), extent: length ?? 2 ** 31 });
  return index;
}

/** `X[key]`: the element where all indices are there, else the row. */
export function elementOf(tracing: Tracing, object: BufferObject | Row, key: unknown): unknown {
  const { data } = object;
  const indices = [
    ...(object instanceof Row ? object.indices : []),
    indexOf(data, key, object instanceof Row ? object.indices.length : 0),
  ];
  if (indices.length < data.shape.length) return new Row(data, indices);
  return symbolic(tracing.read(load(data, indices)));
}

/** `X[key] = value`. */
export function storeElement(tracing: Tracing, object: BufferObject | Row, key: unknown, value: unknown): void {
  const { data } = object;
  const indices = [
    ...(object instanceof Row ? object.indices : []),
    indexOf(data, key, object instanceof Row ? object.indices.length : 0),
  ];
  const rank = data.shape.length;
  if (indices.length < rank)
    failHere("W5512", {
      buffer: data.name,
      rank,
      got: `${indices.length} ${indices.length === 1 ? "index is" : "indices are"} given`,
    });
  const stored = tracing.use(lift(value, data.dtype, `the value stored to ${data.name}`));
  for (const index of indices) tracing.use(index);
  tracing.emit({ kind: "store", buffer: data, indices, value: stored, span: tracing.here() });
  tracing.writes(data);
}

/** May the elements of a buffer be of that type? Numbers of 64-bit integers are none of JavaScript's. */
export const isBufferType = (x: unknown): x is DType => typeof x === "string" && isElementType(x) && x !== "i64" && x !== "u64";

/** The extent of a loop, an axis or a dimension: a whole number above 0, or an expression of sizes. */
export function extentOf(x: unknown, what: string): Expr {
  if (typeof x === "number") {
    if (Number.isInteger(x) && x > 0 && x < 2 ** 31) return int(x);
    return failGiven(what, "a whole number above 0", x, "write how many there are");
  }
  return whole(x, what);
}

/** The parts of buffers that were given to `what`. W5508. */
export function regionsOf(what: string, given: readonly unknown[]): readonly RegionObject[] {
  return given.map((region) =>
    region instanceof RegionObject
      ? region
      : failGiven(`what ${what} takes`, "a part of a buffer", region, "write `X.region([i, 16], [j, 16])`"),
  );
}
