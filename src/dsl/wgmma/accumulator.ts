import { add, first } from "../../ir/arith.ts";
import { type AccType, accColumns, type Value } from "../../ir/index.ts";
import type { DType } from "../../types.ts";
import { failHere } from "../fail-here.ts";
import { callRule } from "../hooks/call.ts";
import { registerType } from "../memory/dtype.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { binary } from "../numbers/binary.ts";
import { convertTo } from "../numbers/convert.ts";
import { lift } from "../numbers/lift.ts";
import { describe } from "../numbers/operands.ts";
import { isStagedScalar, scalar } from "../scalar.ts";
import { type HasStructure, OwnObject, Staged, type Structure, structure } from "../staged.ts";
import { currentTrace, type Trace } from "../trace.ts";
import { elementPlaces, originOf } from "./fragment.ts";
import type { Operand } from "./operand.ts";
import { packPair } from "./pack-pair.ts";
import { emitProduct, type ProductOptions } from "./product.ts";
import { storeTile } from "./store.ts";

/** What a product adds to: a matrix spread over the registers of the threads of a warpgroup. */
export interface Accumulator {
  /** The type of the elements. */
  readonly dtype: DType;
  /** [rows, columns], of all warpgroups that share it. */
  readonly shape: readonly [number, number];
  /**
   * `this + A @ B` as a new value: fence, issue, commit one group. Asynchronous: nothing may read the result before a `wgmma.wait` that
   * covers it (W6001). `accumulate: false` gives `A @ B`. `wait: n` is `wgmma.wait(n)` right after. W6110–W6114, W6120, W6121.
   */
  mma(A: Operand, B: Operand, options?: ProductOptions): Accumulator;
  /** Element by element, with the element's row and column in the tile. */
  map(fn: (value: number, row: number, col: number) => number): Accumulator;
  /** Two tiles of one shape element by element, such as a product and what `WGMMAMatrix.load` gives. W6126. */
  zip(other: Accumulator, fn: (value: number, other: number, row: number, col: number) => number): Accumulator;
  /** Times a scalar. */
  scale(factor: number): Accumulator;
  /** Some of the columns: static multiples of 8. W6117. */
  columns(start: number, count: number): Accumulator;
  /**
   * Each element in another type, converted as by `f16(x)` and its like: `D.convert("f16")` before a store or `WGMMAMatrix.fromRegisters`.
   */
  convert(dtype: DType): Accumulator;
  /** To shared memory (stmatrix where it fits) or global memory. Elements outside a tensor are not written. W6118, W6119. */
  store(dst: SharedView | Tensor): void;
}

/** What wgmma sums in: f32, f16 or i32. PTX ISA 9.7.15.2. */
export type AccumulatorType = AccType["dtype"];

/**
 * The registers of a tile: an accumulator of the hardware; elements that were computed; or elements of f32 that become the tile's type of
 * 16 bits where they are used, which for most is in pairs.
 */
type Contents =
  | { readonly kind: "acc"; readonly value: Value }
  | { readonly kind: "elements" | "unrounded"; readonly values: readonly Value[] };

export interface TileParts {
  readonly dtype: DType;
  readonly shape: readonly [number, number];
  /** Warpgroups that share the rows. */
  readonly sharing: number;
  readonly contents: Contents;
}

const isAccumulatorType = (dtype: DType): dtype is AccumulatorType => dtype === "f32" || dtype === "f16" || dtype === "i32";

/** See `Accumulator`. */
export class AccumulatorObject extends OwnObject implements Accumulator, HasStructure {
  readonly parts: TileParts;

  constructor(parts: TileParts) {
    super();
    this.parts = parts;
  }

  get dtype(): DType {
    return this.parts.dtype;
  }
  get shape(): readonly [number, number] {
    return this.parts.shape;
  }
  /** Rows of one warpgroup. */
  get rows(): number {
    return this.parts.shape[0] / this.parts.sharing;
  }

  /** The hardware's accumulator. */
  accumulator(trace: Trace, what: string): Value {
    const { contents, dtype, shape } = this.parts;
    if (contents.kind === "acc") return contents.value;
    if (!isAccumulatorType(dtype)) return failHere("W6120", { dtype, what });
    const type: AccType = { kind: "acc", dtype, rows: this.rows, cols: shape[1] };
    return first(trace.emit("acc.pack", { values: this.elements(trace) }, {}, { types: [type] }));
  }

  /** The thread's elements, in the order of `elementPlaces`. */
  elements(trace: Trace): readonly Value[] {
    const { contents, dtype, shape } = this.parts;
    const type = registerType(dtype);
    if (contents.kind !== "acc") {
      if (contents.kind === "elements") return contents.values;
      return contents.values.map((a) => trace.once("convert", { a }, {}, [type]));
    }
    const types = Array.from({ length: (this.rows * shape[1]) / 128 }, () => type);
    return trace.emit("acc.unpack", { acc: contents.value }, { columns: undefined }, { types }).results;
  }

  /** The thread's elements in pairs of 16 bits, 2i and 2i + 1 in the word of that number. */
  pairs(trace: Trace, type: "f16" | "bf16"): (i: number) => Value {
    const { contents } = this.parts;
    const values = contents.kind === "unrounded" ? contents.values : this.elements(trace);
    return (i) => packPair(trace, type, values[2 * i] as Value, values[2 * i + 1] as Value);
  }

  /**
   * The thread's elements, to be stored one by one: what has to be rounded is rounded in pairs. Where sums of a product that was left
   * running are rounded singly, ptxas serialises all products (C7514).
   */
  singles(trace: Trace): readonly Value[] {
    const { contents, dtype } = this.parts;
    if (contents.kind !== "unrounded" || (dtype !== "f16" && dtype !== "bf16")) return this.elements(trace);
    const pair = this.pairs(trace, dtype);
    return Array.from({ length: contents.values.length / 2 }, (_, i) => i).flatMap(
      (i) => trace.emit("pair.unpack", { pair: pair(i) }, {}, { types: [dtype, dtype] }).results,
    );
  }

  /** Some of the columns: of the hardware's accumulator no others are read. */
  #contentsIn(trace: Trace, start: number, count: number): Contents {
    const { contents, dtype, shape } = this.parts;
    const wanted = accColumns({ rows: this.rows, cols: shape[1] }, start, count);
    if (contents.kind !== "acc") return { ...contents, values: wanted.map((e) => contents.values[e] as Value) };
    const types = wanted.map(() => registerType(dtype));
    const { results } = trace.emit("acc.unpack", { acc: contents.value }, { columns: [start, count] }, { types });
    return { kind: "elements", values: results };
  }

  #with(values: readonly Value[], change: Partial<TileParts> = {}): AccumulatorObject {
    return new AccumulatorObject({ ...this.parts, ...change, contents: { kind: "elements", values } });
  }

  mma(A: Operand, B: Operand, options: ProductOptions = {}): AccumulatorObject {
    const trace = currentTrace("mma");
    const value = emitProduct(trace, this, A, B, options);
    return new AccumulatorObject({ ...this.parts, contents: { kind: "acc", value } });
  }

  map(fn: (value: number, row: number, col: number) => number): AccumulatorObject {
    const trace = currentTrace("map");
    return this.#each(trace, "map", fn, [this.elements(trace)]);
  }

  zip(other: Accumulator, fn: (value: number, other: number, row: number, col: number) => number): AccumulatorObject {
    const trace = currentTrace("zip");
    const given: unknown = other;
    const spread = (t: AccumulatorObject): string => {
      const { shape, sharing } = t.parts;
      return `[${shape.join(", ")}]${sharing > 1 ? ` over ${sharing} warpgroups` : ""}`;
    };
    const theirs = given instanceof AccumulatorObject ? spread(given) : describe(given);
    if (!(given instanceof AccumulatorObject) || theirs !== spread(this))
      return failHere("W6126", { mine: spread(this), theirs });
    return this.#each(trace, "zip", fn, [this.elements(trace), given.elements(trace)]);
  }

  /** Calls `fn` with each place's elements, its row and its column. */
  #each(trace: Trace, method: string, fn: unknown, tiles: readonly (readonly Value[])[]): AccumulatorObject {
    const origin = originOf(trace, this.rows, this.parts.sharing);
    const places = elementPlaces(this.rows, this.shape[1]);
    const from = (start: Value, axis: "row" | "col") =>
      new Map([...new Set(places.map((p) => p[axis]))].map((n) => [n, scalar(add(trace, start, n))]));
    const [rows, cols] = [from(origin.row, "row"), from(origin.col, "col")];
    const call = (args: readonly unknown[]): unknown =>
      callRule(trace, { f: fn, receiver: undefined, args, text: `the function given to \`${method}\``, construct: false });
    const results = places.map(({ row, col }, i) => {
      const elements = tiles.flatMap((values) => values.slice(i, i + 1));
      return call([...elements.map(scalar), rows.get(row), cols.get(col)]);
    });
    const typed = results.find((r) => isStagedScalar(r));
    const dtype: DType =
      isStagedScalar(typed) && typed.type !== registerType(this.dtype)
        ? typed.type === "pred"
          ? "bool"
          : typed.type
        : this.dtype;
    return this.#with(
      results.map((r) => lift(r, registerType(dtype), `what \`${method}\` makes of an element`)),
      { dtype },
    );
  }

  scale(factor: number): AccumulatorObject {
    const trace = currentTrace("scale");
    const by = lift(factor, registerType(this.dtype), "the factor");
    const values = this.elements(trace).map((v) =>
      lift(binary("*", scalar(v), scalar(by)), registerType(this.dtype), "a product"),
    );
    return this.#with(values);
  }

  columns(start: number, count: number): AccumulatorObject {
    const trace = currentTrace("columns");
    const [rows, cols] = this.shape;
    const valid = [start, count].every((n) => Number.isInteger(n) && n >= 0 && n % 8 === 0) && count > 0 && start + count <= cols;
    const shown = (x: unknown): string => (typeof x === "number" ? String(x) : "of the GPU");
    if (!valid) failHere("W6117", { start: shown(start), count: shown(count), cols });
    return new AccumulatorObject({ ...this.parts, shape: [rows, count], contents: this.#contentsIn(trace, start, count) });
  }

  convert(dtype: DType): AccumulatorObject {
    const trace = currentTrace("convert");
    if (dtype === this.dtype) return this;
    const type = registerType(dtype);
    const values = this.elements(trace);
    if (this.dtype === "f32" && (dtype === "f16" || dtype === "bf16"))
      return new AccumulatorObject({ ...this.parts, dtype, contents: { kind: "unrounded", values } });
    return this.#with(
      values.map((v) => convertTo(type, scalar(v)).value),
      { dtype },
    );
  }

  store(dst: SharedView | Tensor): void {
    const trace = currentTrace("store");
    storeTile(
      trace,
      {
        dtype: this.dtype,
        rows: this.rows,
        shape: this.shape,
        sharing: this.parts.sharing,
        elements: () => this.elements(trace),
        singles: () => this.singles(trace),
        pairs: (type) => this.pairs(trace, type),
      },
      dst,
    );
  }

  get [structure](): Structure {
    const { dtype, shape, sharing, contents } = this.parts;
    // Computed elements of a type that wgmma adds are carried as an accumulator, so that a product's result can join them.
    const trace = currentTrace("an accumulator");
    const whole = isAccumulatorType(dtype);
    const leaves = whole
      ? [new Staged(this.accumulator(trace, "a branch or loop"))]
      : this.elements(trace).map((v) => scalar(v) as unknown);
    const rebuild = (merged: readonly unknown[]): Contents =>
      whole
        ? { kind: "acc", value: (merged[0] as Staged).value }
        : { kind: "elements", values: merged.map((v) => lift(v, registerType(dtype), "an element of a tile")) };
    return {
      shape: `accumulator ${dtype} ${shape.join("x")}/${sharing} ${contents.kind === "acc" || whole ? "acc" : "elements"}`,
      leaves,
      rebuild: (merged) => new AccumulatorObject({ ...this.parts, contents: rebuild(merged) }),
      describe: `an accumulator [${shape.join(", ")}] of ${dtype}`,
    };
  }
}
