import { add, constant, first, type IntType, mul, toInt } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { regroup } from "../../layout/modes.ts";
import type { DType, TensorSpec } from "../../types.ts";
import { checkingTrace } from "../checks/pending.ts";
import { failHere } from "../fail-here.ts";
import { lift } from "../numbers/lift.ts";
import { scalar } from "../scalar.ts";
import {
  type HasStructure,
  type Indexable,
  indexGet,
  indexSet,
  OwnObject,
  Staged,
  type Structure,
  structure,
} from "../staged.ts";
import { currentTrace, type Trace } from "../trace.ts";
import { type Bound, boundOf, boundsFrom, boundsLeaf, dimensionOf } from "./bounds.ts";
import { elementBytes } from "./dtype.ts";
import { readExtent, readIndex, readPart, readPermutation } from "./indices.ts";
import { type IndexValue, type Offset, plus } from "./offset.ts";
import { type Address, type Location, PlaceObject } from "./place.ts";
import { pointer } from "./shared-view.ts";
import { splitSum } from "./split-sum.ts";
import type { Tensor } from "./types.ts";

/** A dimension of a tensor: extent and stride in elements, each static or an i32 on the GPU. */
export interface TensorDimension {
  readonly extent: IndexValue;
  readonly stride: IndexValue;
  /** Where this part begins in the tensor's own dimension, and that dimension's extent: what keeps a tile's edge inside. */
  readonly begin: Offset;
  readonly limit: IndexValue;
}

export interface TensorParts {
  readonly base: Value;
  readonly name: string;
  readonly dtype: DType;
  readonly dims: readonly TensorDimension[];
  /** Bytes from `base`, computed in `offsetType`. */
  readonly offset: Offset;
  /** i32 where every element lies within 2^31 bytes of the base: then arithmetic modulo 2^32 gives each offset exactly. */
  readonly offsetType: IntType;
  /** Bytes that divide the address of the tensor. */
  readonly align: number;
  /** The dimensions whose indices came before this part. */
  readonly taken?: readonly TensorDimension[];
  /** It is a part of the tensor, or its dimensions are others than the tensor's. */
  readonly view?: boolean;
  /** What `debug` checks where an element is touched, apart from the indices still to come. */
  readonly bounds?: readonly Bound[];
  /** Of a part whose dimensions no longer say where it lies in the tensor: the tensor's bytes. */
  readonly bytes?: number | undefined;
}

const text = (n: IndexValue): string => (typeof n === "number" ? String(n) : (n.name ?? "?"));

/** See `Tensor`. */
export class TensorObject extends OwnObject implements Indexable, HasStructure {
  readonly memory = "global";
  readonly parts: TensorParts;

  constructor(parts: TensorParts) {
    super();
    this.parts = parts;
  }

  get dtype(): DType {
    return this.parts.dtype;
  }
  get rank(): number {
    return this.parts.dims.length;
  }
  get shape(): readonly number[] {
    return this.parts.dims.map((d) => (typeof d.extent === "number" ? d.extent : scalar(d.extent)));
  }
  get strides(): readonly number[] {
    return this.parts.dims.map((d) => (typeof d.stride === "number" ? d.stride : scalar(d.stride)));
  }
  /** In the author's words. */
  get what(): string {
    return `\`${this.parts.name}\` (Tensor<${this.dtype}> [${this.parts.dims.map((d) => text(d.extent)).join(", ")}])`;
  }

  /** Bytes from the first element to index `i` of dimension `d`. */
  step(trace: Trace, d: number, i: IndexValue): Offset {
    const { dims, offsetType, dtype } = this.parts;
    return stepOffset(trace, i, dims[d]?.stride ?? 0, elementBytes[dtype], offsetType);
  }

  at(...index: readonly unknown[]): TensorObject | PlaceObject {
    const trace = currentTrace("at");
    const { dims } = this.parts;
    if (index.length > dims.length) failHere("W3002", { given: index.length, rank: dims.length, what: this.what });
    let { offset, bounds = [] } = this.parts;
    index.forEach((x, d) => {
      const i = readIndex(x, d, dims[d]?.extent ?? 1, this.what);
      bounds = [...bounds, ...this.#bounds(trace, d, i)];
      offset = plus(trace, offset, this.step(trace, d, i));
    });
    const taken = [...(this.parts.taken ?? []), ...dims.slice(0, index.length)];
    if (index.length < dims.length) return this.#with({ offset, dims: dims.slice(index.length), bounds, taken });
    const { bytes, name } = this.parts;
    if (bytes !== undefined)
      bounds = [
        ...bounds,
        ...boundOf(offset, bytes, false, () => ({
          before: "byte",
          after: [` of ${name}, which has ${bytes}: an element of a part of it`],
        })),
      ];
    return new PlaceObject({ ...this.locate(offset, index.at(-1)), bounds });
  }

  /** What `debug` checks of an index: it lies in this part, and what it leads to in the tensor. */
  #bounds(trace: Trace, d: number, i: IndexValue): readonly Bound[] {
    const { dims, name, taken = [], view } = this.parts;
    const dim = dims[d];
    if (!dim || !checkingTrace()) return [];
    const { extent, begin, limit } = dim;
    const last = d === dims.length - 1;
    const all = [...taken, ...dims];
    const at = d + taken.length;
    const extents = all.map((x) => x.extent);
    const own = boundOf(
      i,
      extent,
      last,
      () => (view ? dimensionOf(`a part of ${name}`, extents, at) : dimensionOf(name, extents, at, name)),
      d,
    );
    if (isWhole(dim) || surelyInside(dim)) return own;
    const index: Offset = typeof i === "number" ? { fixed: i, staged: undefined } : { fixed: 0, staged: i };
    const wide = (o: Offset): Offset => ({ ...o, staged: o.staged && toInt(trace, o.staged, "i64") });
    const limits = all.map((x) => x.limit);
    return [...own, ...boundOf(plus(trace, wide(begin), wide(index)), limit, last, () => dimensionOf(name, limits, at), d)];
  }

  /** The element at that offset; `last` is its index in the innermost dimension. */
  locate(offset: Offset, last: unknown): Location {
    const { dims, dtype } = this.parts;
    const inner = dims.at(-1);
    const side =
      inner?.stride !== 1
        ? 1
        : typeof inner.extent === "number" && typeof last === "number"
          ? inner.extent - last
          : Number.POSITIVE_INFINITY;
    const exact = offset.staged ? undefined : offset.fixed;
    return { space: "global", dtype, what: this.what, exact, run: side, address: (trace) => this.address(trace, offset) };
  }

  address(trace: Trace, offset: Offset): Address {
    const { base, offsetType } = this.parts;
    const { fixed, staged } = offset;
    const small = fixed >= (offsetType === "i32" ? 0 : -(2 ** 31)) && fixed < 2 ** 31;
    if (!staged) {
      if (small) return { ptr: base, offset: fixed };
      return { ptr: trace.once("ptr.add", { ptr: base, by: constant(trace, BigInt(fixed), "i64") }, {}), offset: 0 };
    }
    return small
      ? { ptr: pointer(trace, base, staged), offset: fixed }
      : { ptr: pointer(trace, base, add(trace, staged, fixed)), offset: 0 };
  }

  subview(offset: readonly unknown[], shape: readonly number[]): TensorObject {
    const trace = currentTrace("subview");
    const part = readPart(offset, shape, this.rank, this.what);
    let sum = this.parts.offset;
    const dims = this.parts.dims.map((dim, d): TensorDimension => {
      const start = part.offsets[d] ?? 0;
      sum = plus(trace, sum, this.step(trace, d, start));
      const moved: Offset =
        typeof start === "number" ? { fixed: start, staged: undefined } : { fixed: 0, staged: toInt(trace, start, "i32") };
      return { ...dim, extent: part.shape[d] ?? 1, begin: plus(trace, dim.begin, moved) };
    });
    return this.#with({ offset: sum, dims, view: true });
  }

  transpose(...permutation: readonly number[]): TensorObject {
    const order = readPermutation(permutation, this.rank);
    return this.#with({ dims: order.map((d) => this.parts.dims[d] as TensorDimension), view: true });
  }

  reshape(...shape: readonly number[]): TensorObject {
    const to = shape.map((s) => readExtent(s, "the new shape"));
    const { dims } = this.parts;
    const from = dims.map((d) => text(d.extent)).join(", ");
    const fixed = dims.flatMap(({ extent, stride }) =>
      typeof extent === "number" && typeof stride === "number" ? [[{ extent, stride }]] : [],
    );
    const refuse = (why: string): never => failHere("W3010", { from, to: to.join(", "), why });
    if (fixed.length !== dims.length) refuse("its extents are not known when the kernel is compiled");
    const count = fixed.flat().reduce((n, d) => n * d.extent, 1);
    if (to.reduce((n, s) => n * s, 1) !== count) refuse("they do not have as many elements");
    const regrouped = regroup(fixed, to);
    if (!regrouped || regrouped.some((d) => d.length !== 1))
      refuse("the elements of a dimension would not lie at regular distances");
    const bytes = this.parts.bytes ?? (dims.every(isWhole) ? undefined : this.#limitBytes());
    const regular = (regrouped ?? []).map(([mode]) => wholeDimension(mode?.extent ?? 1, mode?.stride ?? 0));
    return this.#with({ dims: regular, bytes, view: true });
  }

  /** Bytes from the tensor's beginning to its end, as far as the dimensions of this part say it. */
  #limitBytes(): number | undefined {
    if (this.parts.taken !== undefined) return undefined;
    const { dims, dtype } = this.parts;
    return byteExtent(
      dims.map(({ limit, stride }) => wholeDimension(limit, stride)),
      elementBytes[dtype],
    );
  }

  #with(change: Partial<TensorParts>): TensorObject {
    return new TensorObject({ ...this.parts, ...change });
  }

  [indexGet](index: unknown): unknown {
    const part = this.at(index);
    return part instanceof PlaceObject ? part.load() : part;
  }

  [indexSet](index: unknown, value: unknown): void {
    const part = this.at(index);
    if (part instanceof PlaceObject) part.store(value);
    else failHere("W3003", { what: this.what, rank: this.rank });
  }

  get [structure](): Structure {
    const { base, dims, offset, offsetType, dtype, align, name, bounds } = this.parts;
    const key = (n: IndexValue): string => (typeof n === "number" ? String(n) : `%${n.id}`);
    const leaf = (o: Offset, type: IntType): unknown =>
      o.staged ? scalar(add(currentTrace("a tensor"), o.staged, o.fixed)) : type === "i64" ? BigInt(o.fixed) : o.fixed;
    const read = (x: unknown, type: IntType): Offset =>
      typeof x === "number" || typeof x === "bigint"
        ? { fixed: Number(x), staged: undefined }
        : { fixed: 0, staged: lift(x, type, `the place of ${name}`) };
    return {
      shape: `tensor ${dtype} ${offsetType} ${align} ${dims.map((d) => `${key(d.extent)}:${key(d.stride)}:${key(d.limit)}`).join(",")}`,
      leaves: [new Staged(base), leaf(offset, offsetType), ...dims.map((d) => leaf(d.begin, "i32")), ...boundsLeaf(bounds)],
      rebuild: ([newBase, at, ...begins]) =>
        new TensorObject({
          ...this.parts,
          base: (newBase as Staged).value,
          offset: read(at, offsetType),
          dims: dims.map((d, i) => ({ ...d, begin: read(begins[i], "i32") })),
          bounds: boundsFrom(begins[dims.length], name),
        }),
      describe: this.what,
    };
  }
}

/** Does a part keep the dimension of the tensor from its beginning to its end? */
const isWhole = ({ extent, begin, limit }: TensorDimension): boolean =>
  begin.fixed === 0 && begin.staged === undefined && extent === limit;

/** Does a part surely lie in its dimension of the tensor? */
const surelyInside = ({ extent, begin, limit }: TensorDimension): boolean =>
  typeof extent === "number" &&
  typeof limit === "number" &&
  begin.staged === undefined &&
  begin.fixed >= 0 &&
  begin.fixed + extent <= limit;

/** `i` times `stride` elements of `bytes`, in bytes. */
function stepOffset(trace: Trace, i: IndexValue, stride: IndexValue, bytes: number, type: IntType): Offset {
  if (typeof i === "number" && typeof stride === "number") return { fixed: i * stride * bytes, staged: undefined };
  if (i === 0) return { fixed: 0, staged: undefined };
  if (typeof stride === "number") {
    if (stride === 0) return { fixed: 0, staged: undefined };
    const { fixed, staged } = type === "i32" ? splitSum(trace, i as Value) : { fixed: 0, staged: i as Value };
    return { fixed: fixed * stride * bytes, staged: staged && mul(trace, toInt(trace, staged, type), stride * bytes) };
  }
  const wide = toInt(trace, stride, type);
  const count = typeof i === "number" ? mul(trace, wide, i) : first(trace.emit("mul", { a: toInt(trace, i, type), b: wide }, {}));
  return { fixed: 0, staged: mul(trace, count, bytes) };
}

const wholeDimension = (extent: IndexValue, stride: IndexValue): TensorDimension => ({
  extent,
  stride,
  begin: { fixed: 0, staged: undefined },
  limit: extent,
});

/** Bytes from the first to after the last element; undefined where they are not static. */
function byteExtent(dims: readonly TensorDimension[], bytes: number): number | undefined {
  let elements = 1;
  for (const { extent, stride } of dims) {
    if (typeof extent !== "number" || typeof stride !== "number" || stride < 0) return undefined;
    elements += (extent - 1) * stride;
  }
  return elements * bytes;
}

/**
 * What stands for a tensor parameter in a kernel. `base` is its ptr.global; `staged` holds the extents and strides that the host
 * passes at launch, by dimension. `align`: bytes that divide every base address which the host may pass.
 */
export function bindTensor<D extends DType, R extends number>(
  base: Value,
  spec: TensorSpec<D, R>,
  name: string,
  staged: { readonly shape: ReadonlyMap<number, Value>; readonly strides: ReadonlyMap<number, Value> } = {
    shape: new Map(),
    strides: new Map(),
  },
  align = 16,
): Tensor<D, R> {
  const shape: readonly number[] = spec.shape;
  const strides: readonly number[] = spec.strides;
  const dims = shape.map((extent, i) => wholeDimension(staged.shape.get(i) ?? extent, staged.strides.get(i) ?? strides[i] ?? 0));
  const extent = byteExtent(dims, elementBytes[spec.dtype]);
  const offsetType = extent !== undefined && extent < 2 ** 31 ? "i32" : "i64";
  return new TensorObject({
    base,
    name,
    dtype: spec.dtype,
    dims,
    offset: { fixed: 0, staged: undefined },
    offsetType,
    align,
  }) as unknown as Tensor<D, R>;
}

/** What stands behind the author's tensor. */
export const tensorOf = (tensor: Tensor): TensorObject => tensor as unknown as TensorObject;
