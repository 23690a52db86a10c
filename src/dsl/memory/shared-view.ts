import { add, and, constant, shr, xor } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import {
  extentOf,
  isDense,
  type Layout,
  panelled,
  patternBytes,
  regroup,
  shapeOf,
  slice,
  swizzled,
  swizzleMask,
} from "../../layout/modes.ts";
import { swizzleBytes } from "../../tensor-map.ts";
import type { DType, Swizzle } from "../../types.ts";
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
import { type Bound, boundOf, boundsFrom, boundsLeaf, dimensionOf, expectInside, type Subject } from "./bounds.ts";
import { elementBytes } from "./dtype.ts";
import { readExtent, readIndex, readPart, readPermutation } from "./indices.ts";
import { isMultipleOf } from "./multiple-of.ts";
import { type IndexValue, indexOffset, type Offset, plus } from "./offset.ts";
import { type Address, type Location, PlaceObject } from "./place.ts";

/** What a view is, apart from where in the buffer it begins. */
export interface SharedParts {
  /** Where the buffer begins: aligned to `align` bytes, and with a swizzle to a whole pattern. */
  readonly base: Value;
  readonly align: number;
  readonly dtype: DType;
  readonly swizzle: Swizzle;
  readonly layout: Layout;
  /** Bytes from the buffer's beginning to the first element, before the swizzle. */
  readonly offset: Offset;
  /** The buffer's number in the trace, or -1 for the dynamic shared memory. */
  readonly buffer: number;
  /** What `debug` checks where the view is used, apart from the indices still to come. */
  readonly bounds?: readonly Bound[];
  /** What the author calls it, where that is known. */
  readonly name?: string | undefined;
  /** It is a part of what the author calls so, or its dimensions are others. */
  readonly view?: boolean;
  /** The extents whose indices came before this part. */
  readonly taken?: readonly number[];
}

/** Dense rows, or panels where the rows are wider than the swizzle. */
export function sharedLayout(dtype: DType, shape: readonly number[], swizzle: Swizzle): Layout {
  const bytes = elementBytes[dtype];
  const width = swizzleBytes[swizzle];
  const row = (shape.at(-1) ?? 1) * bytes;
  if (swizzle !== "none" && row % width !== 0) failHere("W3014", { swizzle, row, width });
  return panelled(shape, bytes, swizzle === "none" ? Number.POSITIVE_INFINITY : width / bytes);
}

/** See `SharedView`. */
export class SharedViewObject extends OwnObject implements Indexable, HasStructure {
  readonly memory = "shared";
  readonly parts: SharedParts;

  constructor(parts: SharedParts) {
    super();
    this.parts = parts;
  }

  get dtype(): DType {
    return this.parts.dtype;
  }
  get swizzle(): Swizzle {
    return this.parts.swizzle;
  }
  get rank(): number {
    return this.parts.layout.length;
  }
  get shape(): readonly number[] {
    return shapeOf(this.parts.layout);
  }
  get strides(): readonly number[] {
    return this.parts.layout.map((d) => (d.at(-1)?.stride ?? 0) / elementBytes[this.dtype]);
  }
  get bytes(): number {
    return this.shape.reduce((n, s) => n * s, elementBytes[this.dtype]);
  }
  /** In the author's words. */
  get what(): string {
    const { name, view } = this.parts;
    const type = `SharedView<${this.dtype}> [${this.shape.join(", ")}]`;
    if (isPeer(this.parts)) return `another block's ${type}`;
    return name === undefined ? `a ${type}` : `${view ? "a part of " : ""}\`${name}\` (${type})`;
  }

  /** Dimension `d`, in messages about an index. */
  #dimension(d: number): Subject {
    const { name, view, taken = [] } = this.parts;
    const extents = [...taken, ...this.shape];
    const at = d + taken.length;
    if (isPeer(this.parts)) return dimensionOf(`another block's ${name ?? `SharedView<${this.dtype}>`}`, extents, at);
    if (name === undefined) return dimensionOf(`a SharedView<${this.dtype}>`, extents, at);
    return view ? dimensionOf(`a part of ${name}`, extents, at) : dimensionOf(name, extents, at, name);
  }

  at(...index: readonly unknown[]): SharedViewObject | PlaceObject {
    const trace = currentTrace("at");
    const { rank, shape, what } = this;
    if (index.length > rank) failHere("W3002", { given: index.length, rank, what });
    let { offset, bounds = [] } = this.parts;
    index.forEach((x, d) => {
      const extent = shape[d] ?? 1;
      const i = readIndex(x, d, extent, what);
      bounds = [...bounds, ...boundOf(i, extent, d === rank - 1, () => this.#dimension(d), d)];
      offset = plus(trace, offset, indexOffset(trace, this.parts.layout[d] ?? [], i, "i32"));
    });
    if (index.length < rank) {
      const taken = [...(this.parts.taken ?? []), ...shape.slice(0, index.length)];
      return this.#with({ offset, layout: this.parts.layout.slice(index.length), bounds, taken });
    }
    return new PlaceObject({ ...this.#location(offset, index.at(-1)), bounds });
  }

  #location(offset: Offset, last: unknown): Location {
    const { parts, dtype } = this;
    const exact = offset.staged ? undefined : offset.fixed;
    const dimension = parts.layout.at(-1) ?? [];
    const inner = dimension.at(-1);
    const side = inner?.stride === elementBytes[dtype] ? inner.extent : 1;
    const run = typeof last === "number" ? Math.min(side - (last % side), extentOf(dimension) - last) : side;
    return {
      space: isPeer(parts) ? "cluster" : "shared",
      dtype,
      what: this.what,
      exact,
      run: Math.max(run, 1),
      address: (trace) => sharedAddress(trace, parts, offset),
    };
  }

  subview(offset: readonly unknown[], shape: readonly number[]): SharedViewObject {
    const trace = currentTrace("subview");
    const part = readPart(offset, shape, this.rank, this.what);
    let { offset: sum, bounds = [] } = this.parts;
    const { shape: whole, what } = this;
    const layout = this.parts.layout.map((_, d) => {
      const [start, count] = [part.offsets[d] ?? 0, part.shape[d] ?? 1];
      const cut = this.#cut(trace, d, start, count);
      const starts = (whole[d] ?? 1) - count + 1;
      const after = `, where a part of ${count} begins in dimension ${d} of ${what}: it can begin from 0 to ${starts - 1}`;
      bounds = [...bounds, ...boundOf(start, starts, false, () => ({ after: [after], limit: String(starts) }))];
      sum = plus(trace, sum, cut.offset);
      return cut.dimension;
    });
    return this.#with({ offset: sum, layout, bounds, view: true });
  }

  #cut(trace: Trace, d: number, start: IndexValue, count: number): { dimension: Layout[number]; offset: Offset } {
    const dimension = this.parts.layout[d] ?? [];
    const extent = extentOf(dimension);
    const panel = dimension.at(-1)?.extent ?? 1;
    const { what } = this;
    const origin = typeof start === "number" ? start : 0;
    if (origin < 0 || origin + count > extent)
      failHere("W3011", { start: String(origin), end: String(origin + count - 1), extent, dimension: d, what });
    // A staged offset into panels moves whole panels, or the part stays within one.
    const panels = extentOf(dimension.slice(1));
    const regular =
      typeof start === "number" ||
      dimension.length === 1 ||
      count === 1 ||
      isMultipleOf(trace, start, panels) ||
      (panel % count === 0 && isMultipleOf(trace, start, count));
    const cut = regular ? slice(dimension, origin, count) : undefined;
    if (!cut) return failHere("W3012", { dimension: d, panel, what });
    return {
      dimension: cut.dimension,
      offset: typeof start === "number" ? { fixed: cut.offset, staged: undefined } : indexOffset(trace, dimension, start, "i32"),
    };
  }

  transpose(...permutation: readonly number[]): SharedViewObject {
    return this.#with({ layout: readPermutation(permutation, this.rank).map((d) => this.parts.layout[d] ?? []), view: true });
  }

  reshape(...shape: readonly number[]): SharedViewObject {
    const to = shape.map((s) => readExtent(s, "the new shape"));
    const from = this.shape.join(", ");
    if (to.reduce((n, s) => n * s, 1) !== this.shape.reduce((n, s) => n * s, 1))
      failHere("W3010", { from, to: to.join(", "), why: "they do not have as many elements" });
    const layout = regroup(this.parts.layout, to);
    return layout
      ? this.#with({ layout, view: true })
      : failHere("W3010", { from, to: to.join(", "), why: "the elements of a dimension would not lie at regular distances" });
  }

  reinterpret(dtype: DType, shape: readonly number[]): SharedViewObject {
    const to = shape.map((s) => readExtent(s, "the new shape"));
    if (!Object.hasOwn(elementBytes, dtype)) failHere("W3026", { what: "shared memory", dtype: String(dtype) });
    if (!isDense(this.parts.layout, elementBytes[this.dtype])) failHere("W3019", { what: this.what });
    const bytes = to.reduce((n, s) => n * s, elementBytes[dtype]);
    if (bytes !== this.bytes) failHere("W3018", { from: this.bytes, to: bytes, dtype, shape: to.join(", ") });
    return this.#with({ dtype, layout: sharedLayout(dtype, to, this.swizzle), view: true });
  }

  /** The same view in the memory of another block of the cluster. W3028. */
  ofBlock(trace: Trace, rank: Value): SharedViewObject {
    if (isPeer(this.parts)) failHere("W3028", { what: "a shared view", can: "loads, stores and atomics of its elements reach" });
    return this.#with({ base: trace.once("mapa", { ptr: this.parts.base, rank }, {}) });
  }

  #with(change: Partial<SharedParts>): SharedViewObject {
    return new SharedViewObject({ ...this.parts, ...change });
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
    const { base, offset, bounds, ...rest } = this.parts;
    const peer = isPeer(this.parts);
    const where = offset.staged ? scalar(add(currentTrace("a view"), offset.staged, offset.fixed)) : offset.fixed;
    return {
      shape: `shared ${JSON.stringify({ ...rest, buffer: undefined, name: undefined, view: undefined, taken: undefined, peer })}`,
      leaves: [new Staged(base), where, ...boundsLeaf(bounds)],
      rebuild: ([newBase, at, inside]) =>
        new SharedViewObject({
          ...this.parts,
          base: (newBase as Staged).value,
          offset:
            typeof at === "number"
              ? { fixed: at, staged: undefined }
              : { fixed: 0, staged: lift(at, "i32", "the place of a shared view") },
          bounds: boundsFrom(inside, this.what),
        }),
      describe: this.what,
    };
  }
}

/** The address of the element at that offset of a buffer, swizzled. */
export function sharedAddress(trace: Trace, parts: Pick<SharedParts, "base" | "swizzle">, offset: Offset): Address {
  const { base, swizzle } = parts;
  if (!offset.staged) return { ptr: base, offset: swizzled(offset.fixed, swizzle) };
  if (swizzle === "none") return { ptr: pointer(trace, base, offset.staged), offset: offset.fixed };
  const pattern = patternBytes(swizzle);
  const low = ((offset.fixed % pattern) + pattern) % pattern;
  return { ptr: pointer(trace, base, swizzleValue(trace, add(trace, offset.staged, low), swizzle)), offset: offset.fixed - low };
}

/** The swizzle of a staged byte offset from the beginning of a pattern. */
export function swizzleValue(trace: Trace, offset: Value, swizzle: Swizzle): Value {
  const mask = swizzleMask[swizzle] << 4;
  return mask === 0 ? offset : xor(trace, offset, and(trace, shr(trace, offset, 3), mask));
}

export const pointer = (trace: Trace, base: Value, by: Value | number): Value =>
  by === 0 ? base : trace.once("ptr.add", { ptr: base, by: typeof by === "number" ? constant(trace, by, "i32") : by }, {});

/** Does the view lie in another block of the cluster? */
export const isPeer = ({ base }: Pick<SharedParts, "base">): boolean => base.type === "ptr.cluster";

/** Where a view of this block's own memory begins, as an address. W3028. Without its swizzle: a view that TMA or wgmma uses begins where a pattern's row 0 does. */
export function viewPointer(trace: Trace, parts: SharedParts): Value {
  if (isPeer(parts)) failHere("W3028", { what: "a shared view", can: "loads, stores and atomics of its elements reach" });
  const staged = parts.offset.staged;
  expectInside(trace, parts.bounds, 1, undefined);
  return pointer(trace, staged ? pointer(trace, parts.base, staged) : parts.base, parts.offset.fixed);
}

/** Bytes that surely divide the address so many bytes from where the buffer begins. */
export const alignmentAt = ({ align }: SharedParts, fixed: number): number =>
  fixed === 0 ? align : Math.min(align, fixed & -fixed);
