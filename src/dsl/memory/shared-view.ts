import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType, Swizzle } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import { type SharedViewType, typeName, type Value } from "../../ir/index.ts";
import {
  chunkBytes,
  type Dimension,
  extentOf,
  isDense,
  isXor,
  type Layout,
  neighboursFrom,
  offsetIn,
  regroup,
  shapeOf,
  slice,
  stepped,
} from "../../layout/modes/index.ts";
import { checkOptionsHere, checkShape } from "../numbers/describe.ts";
import { combineTile, type Destination, layoutOrOpen, loadTile, storeTile, tileTypeHere } from "../tiles/access.ts";
import type { Layout as TileLayout } from "../tiles/layout.ts";
import { wantTile } from "../tiles/reductions.ts";
import { denseRows } from "../tiles/shared-layouts.ts";
import { failHere } from "../trace/fail-here.ts";
import {
  addressIn,
  type HasAddress,
  type HasStructure,
  type Indexable,
  indexGet,
  indexSet,
  OwnObject,
  ownMethods,
  Staged,
  type Structure,
  structure,
} from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { checkReduction, scopeOf, usualScope } from "./atomics.ts";
import { type Bound, boundOf, boundsFrom, boundsLeaf, dimensionOf, expectInside, type Subject } from "./bounds.ts";
import { type IndexValue, operandOf } from "./index-value.ts";
import { reachOf, readExtent, readIndex, readPart, readPermutation, readSteps } from "./indices.ts";
import { emitAddress, type Location, PlaceObject } from "./place.ts";
import type { PlaceReduceOp, ViewReduceOptions } from "./types.ts";

const reduceOptions = optionsOf<ViewReduceOptions>("reduce()", { scope: true });

/** A view of shared memory: its value, and what is known of it while tracing. */
export interface SharedParts {
  readonly value: Value;
  readonly type: SharedViewType;
  /** Its buffer's number in the trace, or -1 for the dynamic shared memory, and the static byte where it begins there, if that is one. */
  readonly buffer: number;
  readonly begins: number | undefined;
  /** What `debug` checks where the view is used, apart from the indices still to come. */
  readonly bounds?: readonly Bound[];
  /** What the author calls it, where that is known. */
  readonly name?: string | undefined;
  /** It is a part of what the author calls so, or its dimensions are others. */
  readonly view?: boolean;
  /** The extents whose indices came before this part. */
  readonly taken?: readonly number[];
}

/** See `SharedView`. */
export class SharedViewObject extends OwnObject implements Indexable, HasStructure, HasAddress {
  readonly memory = "shared";
  readonly parts: SharedParts;

  constructor(parts: SharedParts) {
    super();
    this.parts = parts;
  }

  get dtype(): DType {
    return this.parts.type.dtype;
  }
  get swizzle(): Swizzle | "other" {
    const { swizzle } = this.parts.type;
    return isXor(swizzle) ? "other" : swizzle;
  }
  get layout(): Layout {
    return this.parts.type.layout;
  }
  get rank(): number {
    return this.layout.length;
  }
  get shape(): readonly number[] {
    return shapeOf(this.layout);
  }
  get strides(): readonly number[] {
    return this.layout.map((d) => (d.at(-1)?.stride ?? 0) / elementBytes[this.dtype]);
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
    let { bounds = [] } = this.parts;
    const indices = index.map((x, d) => {
      const extent = shape[d] ?? 1;
      const i = readIndex(x, d, extent, what);
      bounds = [...bounds, ...boundOf(i, extent, d === rank - 1, () => this.#dimension(d), d)];
      return i;
    });
    const type = { ...this.parts.type, layout: this.layout.slice(index.length) };
    const operands = { view: this.parts.value, indices: indices.map((i) => operandOf(trace, i)) };
    const value = first(trace.emit("view.at", operands, {}, { types: [type] }));
    if (index.length === rank) return new PlaceObject({ ...this.#location(value, index.at(-1)), bounds });
    const taken = [...(this.parts.taken ?? []), ...shape.slice(0, index.length)];
    return this.#with({ value, type, begins: this.#begins(indices), bounds, taken });
  }

  /** The static byte where a part begins. */
  #begins(starts: readonly IndexValue[]): number | undefined {
    return starts.reduce<number | undefined>(
      (sum, i, d) => (sum === undefined || typeof i !== "number" ? undefined : sum + offsetIn(this.layout[d] ?? [], i)),
      this.parts.begins,
    );
  }

  #location(value: Value, last: unknown): Location {
    const { dtype, layout } = this;
    const bytes = elementBytes[dtype];
    const from = typeof last === "number" ? last : undefined;
    const whole = neighboursFrom(layout.at(-1) ?? [], bytes, from);
    const chunk = Math.max(1, chunkBytes(this.parts.type.swizzle) / bytes);
    const run = Math.min(whole, from === undefined ? chunk : chunk - (from % chunk));
    return { value, space: isPeer(this.parts) ? "cluster" : "shared", dtype, what: this.what, run };
  }

  subview(offset: readonly unknown[], shape: readonly number[], strides?: readonly number[]): SharedViewObject {
    const trace = currentTrace("subview");
    const steps = readSteps(strides, this.rank);
    if (!steps) return this.#part(trace, offset, shape);
    readPart(offset, shape, this.rank, this.what);
    const { what } = this;
    const part = this.#part(trace, offset, reachOf(shape, steps));
    const layout = part.layout.map(
      (dimension, d) =>
        stepped(dimension, steps[d] ?? 1, shape[d] ?? 1) ??
        failHere("W3039", { what, dimension: d, step: steps[d] ?? 1, panel: dimension.at(-1)?.extent ?? 1 }),
    );
    return part.#reshaped(trace, { layout });
  }

  #part(trace: Trace, offset: readonly unknown[], shape: readonly number[]): SharedViewObject {
    const part = readPart(offset, shape, this.rank, this.what);
    let { bounds = [] } = this.parts;
    const { shape: whole, what } = this;
    const layout = this.layout.map((_, d) => {
      const [start, count] = [part.offsets[d] ?? 0, part.shape[d] ?? 1];
      const cut = this.#cut(d, start, count);
      const starts = (whole[d] ?? 1) - count + 1;
      const after = `, where a part of ${count} begins in dimension ${d} of ${what}: it can begin from 0 to ${starts - 1}`;
      bounds = [...bounds, ...boundOf(start, starts, false, () => ({ after: [after], limit: String(starts) }))];
      return cut;
    });
    const type = { ...this.parts.type, layout };
    const operands = { view: this.parts.value, offsets: part.offsets.map((o) => operandOf(trace, o)) };
    const value = first(trace.emit("view.subview", operands, {}, { types: [type] }));
    return this.#with({ value, type, begins: this.#begins(part.offsets), bounds, view: true });
  }

  /** The part's dimension. Whether a staged offset into panels leaves whole ones is for a pass to say: W3012. */
  #cut(d: number, start: IndexValue, count: number): Dimension {
    const dimension = this.layout[d] ?? [];
    const extent = extentOf(dimension);
    const { what } = this;
    const origin = typeof start === "number" ? start : 0;
    if (origin < 0 || origin + count > extent)
      failHere("W3011", { start: String(origin), end: String(origin + count - 1), extent, dimension: d, what });
    const cut = slice(dimension, origin, count);
    return cut ? cut.dimension : failHere("W3012", { dimension: d, panel: dimension.at(-1)?.extent ?? 1, what });
  }

  transpose(...permutation: readonly number[]): SharedViewObject {
    const trace = currentTrace("transpose");
    const order = readPermutation(permutation, this.rank);
    const type = { ...this.parts.type, layout: order.map((d) => this.layout[d] ?? []) };
    const op = trace.emit("view.transpose", { view: this.parts.value }, { permutation: order }, { types: [type] });
    return this.#with({ value: first(op), type, view: true });
  }

  #reshaped(trace: Trace, change: Partial<SharedViewType>): SharedViewObject {
    const type = { ...this.parts.type, ...change };
    const value = first(trace.emit("view.reshape", { view: this.parts.value }, {}, { types: [type] }));
    return this.#with({ value, type, view: true });
  }

  reshape(...shape: readonly number[]): SharedViewObject {
    const trace = currentTrace("reshape");
    const to = shape.map((s) => readExtent(s, "the new shape"));
    const from = this.shape.join(", ");
    if (to.reduce((n, s) => n * s, 1) !== this.shape.reduce((n, s) => n * s, 1))
      failHere("W3010", { from, to: to.join(", "), why: "they do not have as many elements" });
    const layout = regroup(this.layout, to);
    return layout
      ? this.#reshaped(trace, { layout })
      : failHere("W3010", { from, to: to.join(", "), why: "the elements of a dimension would not lie at regular distances" });
  }

  reinterpret(dtype: DType, shape: readonly number[]): SharedViewObject {
    const trace = currentTrace("reinterpret");
    checkShape(shape, "The shape of reinterpret");
    const to = shape.map((s) => readExtent(s, "the new shape"));
    if (!Object.hasOwn(elementBytes, dtype)) failHere("W3026", { what: "shared memory", dtype: String(dtype) });
    if (!isDense(this.layout, elementBytes[this.dtype])) failHere("W3019", { what: this.what });
    const bytes = to.reduce((n, s) => n * s, elementBytes[dtype]);
    if (bytes !== this.bytes) failHere("W3018", { from: this.bytes, to: bytes, dtype, shape: to.join(", ") });
    return this.#reshaped(trace, { dtype, layout: denseRows(dtype, to, this.swizzle === "other" ? "none" : this.swizzle) });
  }

  /** The same view in the memory of another block of the cluster. W3028. */
  ofBlock(trace: Trace, rank: Value): SharedViewObject {
    this.own();
    const type = { ...this.parts.type, space: "cluster" as const };
    return this.#with({ value: first(trace.emit("view.peer", { view: this.parts.value, rank }, {}, { types: [type] })), type });
  }

  /** Refuses a view of another block's memory, and with `debug` checks the indices that led to this one. W3028. */
  own(): Value {
    if (isPeer(this.parts)) failHere("W3028", { what: "a shared view", can: "loads, stores and atomics of its elements reach" });
    return this.parts.value;
  }

  /** As a tile is stored to it. */
  get destination(): Destination {
    return { dtype: this.dtype, extents: this.shape, clips: false, checked: (trace) => this.checked(trace) };
  }

  /** W6122, W6204, W6205, W6210, W6212. */
  load(layout?: TileLayout): never {
    const trace = currentTrace("load");
    const type = tileTypeHere(
      trace,
      this.dtype,
      this.shape,
      layoutOrOpen(trace, layout, this.shape.length, "`load` of a view"),
      this.what,
    );
    return loadTile(trace, this.checked(trace), type);
  }

  /** W6118, W6119, W6206. */
  store(value: number): void {
    storeTile(currentTrace("store"), wantTile(value, "store"), this.destination);
  }

  /** W3020, W6118, W6119, W6206. */
  reduce(op: PlaceReduceOp, value: number, options: ViewReduceOptions = {}): void {
    const trace = currentTrace("reduce");
    checkOptionsHere(options, reduceOptions);
    checkReduction(trace, op, this.dtype);
    const scope = scopeOf(trace, options.scope ?? usualScope[this.parts.type.space]);
    combineTile(trace, wantTile(value, "reduce"), this.destination, { op, scope });
  }

  /** The view for what uses all of it, also where it is another block's: with `debug`, the indices that led to it are checked here. */
  checked(trace: Trace): Value {
    expectInside(trace, this.parts.bounds, 1, undefined);
    return this.parts.value;
  }

  /** The same for what reaches no other block's memory. W3028. */
  used(trace: Trace): Value {
    this.own();
    return this.checked(trace);
  }

  #with(change: Partial<SharedParts>): SharedViewObject {
    return new SharedViewObject({ ...this.parts, ...change });
  }

  [addressIn](trace: Trace): Value {
    return emitAddress(trace, this.checked(trace), this.parts.type.space);
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
    const { value, type, bounds } = this.parts;
    return {
      shape: typeName(type),
      leaves: [new Staged(value), ...boundsLeaf(bounds)],
      rebuild: ([merged, inside]) =>
        new SharedViewObject({
          ...this.parts,
          value: (merged as Staged).value,
          begins: undefined,
          bounds: boundsFrom(inside, this.what),
        }),
      describe: this.what,
    };
  }
}
ownMethods(SharedViewObject);

/** Does the view lie in another block of the cluster? */
export const isPeer = ({ type }: Pick<SharedParts, "type">): boolean => type.space === "cluster";
