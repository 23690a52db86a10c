import { optionsOf } from "../../base/diag/index.ts";
import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { add, counted, countType, first, toInt } from "../../ir/arith.ts";
import { type TensorViewType, typeName, type Value } from "../../ir/index.ts";
import { regroup } from "../../layout/modes/index.ts";
import { checkingTrace } from "../checks/pending.ts";
import { checkOptionsHere, checkShape, readFlag } from "../numbers/describe.ts";
import { lift } from "../numbers/lift.ts";
import { combineTile, type Destination, layoutOrOpen, loadTile, storeTile, tileTypeHere } from "../tiles/access.ts";
import type { Layout } from "../tiles/layout.ts";
import { wantTile } from "../tiles/reductions.ts";
import { failHere } from "../trace/fail-here.ts";
import { scalar } from "../trace/scalar.ts";
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
import { checkReduction, scopeOf } from "./atomics.ts";
import { type Bound, boundOf, boundsFrom, boundsLeaf, dimensionOf, expectInside } from "./bounds.ts";
import { type IndexSum, type IndexValue, operandOf, plus, sumOf } from "./index-value.ts";
import { reachOf, readExtent, readIndex, readPart, readPermutation, readSteps } from "./indices.ts";
import { emitAddress, type Location, PlaceObject } from "./place.ts";
import {
  byteExtent,
  isWhole,
  known,
  surelyInside,
  type TensorDimension,
  typeOfDimension,
  wholeDimension,
} from "./tensor-dimensions.ts";
import type { PlaceReduceOp, TileLoadOptions, TileReduceOptions, TileStoreOptions } from "./types.ts";

/** A view of global memory: its value, and what is known of it while tracing. */
export interface TensorParts {
  readonly value: Value;
  readonly type: TensorViewType;
  readonly name: string;
  readonly dims: readonly TensorDimension[];
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

const tileLoadOptions = optionsOf<TileLoadOptions>("loadTile()", { other: true, mask: true });
const tileReduceOptions = optionsOf<TileReduceOptions>("reduceTile()", { mask: true, scope: true });
const tileStoreOptions = optionsOf<TileStoreOptions>("storeTile()", { mask: true });

/** See `Tensor`. */
export class TensorObject extends OwnObject implements Indexable, HasStructure, HasAddress {
  readonly memory = "global";
  readonly parts: TensorParts;

  constructor(parts: TensorParts) {
    super();
    this.parts = parts;
  }

  get dtype(): DType {
    return this.parts.type.dtype;
  }
  get rank(): number {
    return this.parts.dims.length;
  }
  get shape(): readonly number[] {
    return Object.freeze(this.parts.dims.map((d) => (typeof d.extent === "number" ? d.extent : scalar(d.extent))));
  }
  get strides(): readonly number[] {
    return Object.freeze(this.parts.dims.map((d) => (typeof d.stride === "number" ? d.stride : scalar(d.stride))));
  }
  /** In the author's words. */
  get what(): string {
    return `\`${this.parts.name}\` (Tensor<${this.dtype}> [${this.parts.dims.map((d) => text(d.extent)).join(", ")}])`;
  }

  at(...index: readonly unknown[]): TensorObject | PlaceObject {
    const trace = currentTrace("at");
    const { dims } = this.parts;
    if (index.length > dims.length) failHere("W3002", { given: index.length, rank: dims.length, what: this.what });
    let { bounds = [] } = this.parts;
    const indices = index.map((x, d) => {
      const i = readIndex(x, d, dims[d]?.extent ?? 1, this.what);
      bounds = [...bounds, ...this.#bounds(trace, d, i)];
      return i;
    });
    const taken = [...(this.parts.taken ?? []), ...dims.slice(0, index.length)];
    const rest = dims.slice(index.length);
    const type = this.#typeWith(rest);
    const operands = { view: this.parts.value, indices: indices.map((i) => operandOf(trace, i)) };
    const value = first(trace.emit("view.at", operands, {}, { types: [type] }));
    if (rest.length > 0) return this.#with({ value, type, dims: rest, bounds, taken });
    return new PlaceObject({ ...this.#locate(value, index.at(-1)), bounds: [...bounds, ...this.#byteBounds(trace, value)] });
  }

  #typeWith(dims: readonly TensorDimension[]): TensorViewType {
    return { ...this.parts.type, dims: dims.map(typeOfDimension) };
  }

  /** What `debug` checks of an element where the dimensions do not say where it lies in the tensor: its bytes. */
  #byteBounds(trace: Trace, value: Value): readonly Bound[] {
    const { bytes, name, type } = this.parts;
    if (bytes === undefined || !checkingTrace()) return [];
    const offset = first(trace.emit("view.offset", { view: value }, {}, { types: [type.wide ? "i64" : "i32"] }));
    const after = ` of ${name}, which has ${bytes}: an element of a part of it`;
    return boundOf(offset, bytes, false, () => ({ before: "byte", after: [after] }));
  }

  /** The tensor for what goes through all of it: with `debug`, the indices that led to it are checked here. What a part has outside of it is clipped. */
  checked(trace: Trace, pred?: Value): Value {
    expectInside(trace, this.parts.bounds, 1, pred);
    return this.parts.value;
  }

  /** The same for what reaches every element: with `debug`, all of this part lies in the tensor, where `pred` holds. */
  whole(trace: Trace, pred?: Value): Value {
    const { dims, name } = this.parts;
    const limits = dims.map((x) => x.limit);
    const bounds = dims.flatMap((dim, d) => {
      if (isWhole(dim) || surelyInside(dim) || typeof dim.extent !== "number" || !checkingTrace()) return [];
      const { fixed, staged } = dim.begin;
      const begin: IndexSum = { fixed, staged: staged && toInt(trace, staged, "i64") };
      const ends = [begin, { ...begin, fixed: fixed + dim.extent - 1 }];
      return ends.flatMap((end) => boundOf(end, dim.limit, false, () => dimensionOf(name, limits, d)));
    });
    expectInside(trace, bounds, 1, pred);
    return this.checked(trace, pred);
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
    const wide = (o: IndexSum): IndexSum => ({ ...o, staged: o.staged && toInt(trace, o.staged, "i64") });
    const limits = all.map((x) => x.limit);
    return [...own, ...boundOf(plus(trace, wide(begin), wide(sumOf(i))), limit, last, () => dimensionOf(name, limits, at), d)];
  }

  /** An element's place; `last` is its index in the innermost dimension. */
  #locate(value: Value, last: unknown): Location {
    const inner = this.parts.dims.at(-1);
    const side =
      inner?.stride !== 1
        ? 1
        : typeof inner.extent === "number" && typeof last === "number"
          ? inner.extent - last
          : Number.POSITIVE_INFINITY;
    return { value, space: "global", dtype: this.dtype, what: this.what, run: side };
  }

  subview(offset: readonly unknown[], shape: readonly number[], strides?: readonly number[]): TensorObject {
    const trace = currentTrace("subview");
    const steps = readSteps(strides, this.rank);
    if (!steps) return this.#part(trace, offset, shape);
    readPart(offset, shape, this.rank, this.what);
    const dims = this.parts.dims.map(({ stride }, d) => {
      if (typeof stride !== "number") return failHere("W3038", { what: this.what, name: this.parts.name, dimension: d });
      return { extent: shape[d] ?? 1, stride: stride * (steps[d] ?? 1) };
    });
    return this.#part(trace, offset, reachOf(shape, steps)).#regular(trace, dims);
  }

  #part(trace: Trace, offset: readonly unknown[], shape: readonly number[]): TensorObject {
    const part = readPart(offset, shape, this.rank, this.what);
    const dims = this.parts.dims.map((dim, d): TensorDimension => {
      const begin = checkingTrace() ? plus(trace, dim.begin, countedSum(trace, part.offsets[d] ?? 0, dim.limit)) : dim.begin;
      return { ...dim, extent: part.shape[d] ?? 1, begin };
    });
    const type = this.#typeWith(dims);
    const operands = { view: this.parts.value, offsets: part.offsets.map((o) => operandOf(trace, o)) };
    const value = first(trace.emit("view.subview", operands, {}, { types: [type] }));
    return this.#with({ value, type, dims, view: true });
  }

  /** As a tile is stored to it. */
  get destination(): Destination {
    return {
      dtype: this.dtype,
      extents: this.parts.dims.map((d) => known(d.extent)),
      clips: true,
      checked: (trace) => this.checked(trace),
    };
  }

  /** W6122, W6204, W6205, W6210, W6212. */
  loadTile(offset: readonly unknown[], shape: readonly number[], layout?: Layout, options: TileLoadOptions = {}): never {
    const trace = currentTrace("loadTile");
    checkOptionsHere(options, tileLoadOptions);
    checkShape(shape, "The shape of loadTile");
    const type = tileTypeHere(trace, this.dtype, shape, layoutOrOpen(trace, layout, shape.length, "`loadTile`"), this.what);
    const loading = { other: options.other, unmasked: unmasked(options.mask) };
    return loadTile(trace, this.subview(offset, shape).checked(trace), type, loading);
  }

  /** W6118, W6119, W6206. */
  storeTile(offset: readonly unknown[], value: number, options: TileStoreOptions = {}): void {
    const trace = currentTrace("storeTile");
    checkOptionsHere(options, tileStoreOptions);
    const tile = wantTile(value, "storeTile");
    const { shape } = tile.type;
    this.#checkRank(shape);
    storeTile(trace, tile, this.subview(offset, shape).destination, unmasked(options.mask));
  }

  /** W3020, W6118, W6119, W6206. */
  reduceTile(op: PlaceReduceOp, offset: readonly unknown[], value: number, options: TileReduceOptions = {}): void {
    const trace = currentTrace("reduceTile");
    checkOptionsHere(options, tileReduceOptions);
    checkReduction(trace, op, this.dtype);
    const tile = wantTile(value, "reduceTile");
    this.#checkRank(tile.type.shape);
    const combining = { op, scope: scopeOf(trace, options.scope ?? "gpu") };
    combineTile(trace, tile, this.subview(offset, tile.type.shape).destination, combining, unmasked(options.mask));
  }

  /** W6119. */
  #checkRank(shape: readonly number[]): void {
    if (shape.length !== this.rank)
      failHere("W6119", { tile: shape.join(", "), dst: this.parts.dims.map((d) => text(d.extent)).join(", ") });
  }

  transpose(...permutation: readonly number[]): TensorObject {
    const order = readPermutation(permutation, this.rank);
    const dims = order.map((d) => this.parts.dims[d] as TensorDimension);
    const type = this.#typeWith(dims);
    const op = currentTrace("transpose").emit(
      "view.transpose",
      { view: this.parts.value },
      { permutation: order },
      { types: [type] },
    );
    return this.#with({ value: first(op), type, dims, view: true });
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
    const modes = (regrouped ?? []).map(([mode]) => ({ extent: mode?.extent ?? 1, stride: mode?.stride ?? 0 }));
    return this.#regular(currentTrace("reshape"), modes);
  }

  /** The elements from the first one on, in dimensions of these extents and strides, which no longer say where they lie in the tensor. */
  #regular(trace: Trace, modes: readonly { readonly extent: number; readonly stride: number }[]): TensorObject {
    const bytes = this.parts.bytes ?? (this.parts.dims.every(isWhole) ? undefined : this.#limitBytes());
    const dims = modes.map(({ extent, stride }) => wholeDimension(extent, stride));
    const type = this.#typeWith(dims);
    const op = trace.emit("view.reshape", { view: this.parts.value }, {}, { types: [type] });
    return this.#with({ value: first(op), type, dims, bytes, view: true });
  }

  /** Bytes from the tensor's beginning to its end, as far as the dimensions of this part say it. */
  #limitBytes(): number | undefined {
    if (this.parts.taken !== undefined) return undefined;
    const { dims } = this.parts;
    return byteExtent(
      dims.map(({ limit, stride }) => wholeDimension(limit, stride)),
      elementBytes[this.dtype],
    );
  }

  #with(change: Partial<TensorParts>): TensorObject {
    return new TensorObject({ ...this.parts, ...change });
  }

  [addressIn](trace: Trace): Value {
    return emitAddress(trace, this.checked(trace), "global");
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
    const { value, dims, type, name, bounds } = this.parts;
    const key = (n: IndexValue): string => (typeof n === "number" ? String(n) : `%${n.id}`);
    const begins = checkingTrace() ? dims.map((d) => leafOf(d.begin)) : [];
    return {
      shape: `${typeName(type)} ${dims.map((d) => `${key(d.extent)}:${key(d.stride)}:${key(d.limit)}`).join(",")}`,
      leaves: [new Staged(value), ...begins, ...boundsLeaf(bounds)],
      rebuild: ([merged, ...more]) =>
        new TensorObject({
          ...this.parts,
          value: (merged as Staged).value,
          dims: dims.map((d, i) => ({ ...d, begin: i < begins.length ? sumFrom(more[i], name, d.limit) : d.begin })),
          bounds: boundsFrom(more[begins.length], name),
        }),
      describe: this.what,
    };
  }
}
ownMethods(TensorObject);

/** W2010. */
const unmasked = (mask: unknown): true | undefined => (readFlag(mask, "`mask`", true) ? undefined : true);

const countedSum = (trace: Trace, i: IndexValue, limit: IndexValue): IndexSum =>
  sumOf(typeof i === "number" ? i : counted(trace, i, countType(limit)));

const leafOf = ({ fixed, staged }: IndexSum): unknown => (staged ? scalar(add(currentTrace("a tensor"), staged, fixed)) : fixed);
const sumFrom = (leaf: unknown, name: string, limit: IndexValue): IndexSum =>
  sumOf(typeof leaf === "number" ? leaf : lift(leaf, countType(limit), `an offset in ${name}`));
