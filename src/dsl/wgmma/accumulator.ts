import { first } from "../../ir/arith.ts";
import { registerType } from "../../ir/element.ts";
import { type AccType, type TileType, typeName, type Value } from "../../ir/index.ts";
import { elementsPerThread } from "../../layout/tile-layout.ts";
import type { DType } from "../../types.ts";
import { callFunction } from "../calls/call.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { convertTo } from "../numbers/convert.ts";
import { describe } from "../numbers/describe.ts";
import { lift } from "../numbers/lift.ts";
import { binary } from "../operators/binary.ts";
import { failHere } from "../trace/fail-here.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { type HasStructure, OwnObject, Staged, type Structure, structure } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import type { Operand } from "./operand.ts";
import { emitProduct, type ProductOptions } from "./product.ts";
import { warpgroupsHere } from "./sharing.ts";
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

/** See `Accumulator`. */
export class AccumulatorObject extends OwnObject implements Accumulator, HasStructure {
  readonly value: Value;
  readonly type: TileType;

  constructor(value: Value, type: TileType) {
    super();
    this.value = value;
    this.type = type;
  }

  get dtype(): DType {
    return this.type.dtype;
  }
  get shape(): readonly [number, number] {
    return this.type.shape;
  }

  /** The thread's elements, in the order of its registers. */
  #elements(trace: Trace): readonly Value[] {
    const types = Array.from({ length: elementsPerThread(this.type) }, () => registerType(this.dtype));
    return trace.emit("tile.elements", { tile: this.value }, {}, { types }).results;
  }

  /** The tile of these elements. */
  #with(trace: Trace, values: readonly Value[], dtype = this.dtype): AccumulatorObject {
    const type = { ...this.type, dtype };
    return new AccumulatorObject(first(trace.emit("tile.from", { values }, {}, { types: [type] })), type);
  }

  mma(A: Operand, B: Operand, options: ProductOptions = {}): AccumulatorObject {
    return new AccumulatorObject(emitProduct(currentTrace("mma"), this, A, B, options), this.type);
  }

  map(fn: (value: number, row: number, col: number) => number): AccumulatorObject {
    const trace = currentTrace("map");
    return this.#each(trace, "map", fn, [this.#elements(trace)]);
  }

  zip(other: Accumulator, fn: (value: number, other: number, row: number, col: number) => number): AccumulatorObject {
    const trace = currentTrace("zip");
    const given: unknown = other;
    const spread = ({ shape, type: { layout } }: AccumulatorObject): string =>
      `[${shape.join(", ")}]${layout.warpgroups > 1 ? ` over ${layout.warpgroups} warpgroups` : ""}`;
    const theirs = given instanceof AccumulatorObject ? spread(given) : describe(given);
    if (!(given instanceof AccumulatorObject) || theirs !== spread(this))
      return failHere("W6126", { mine: spread(this), theirs });
    return this.#each(trace, "zip", fn, [this.#elements(trace), given.#elements(trace)]);
  }

  /** Calls `fn` with each place's elements, its row and its column. */
  #each(trace: Trace, method: string, fn: unknown, tiles: readonly (readonly Value[])[]): AccumulatorObject {
    const warpgroups = warpgroupsHere(trace, this.type.layout.warpgroups);
    const types = Array.from({ length: elementsPerThread(this.type) }, () => "i32" as const);
    const of = (axis: "row" | "col") =>
      trace.emit("tile.coordinates", { tile: this.value }, { axis, warpgroups }, { types }).results;
    const [rowOf, colOf] = [of("row"), of("col")];
    const call = (args: readonly unknown[]): unknown =>
      callFunction(trace, { f: fn, receiver: undefined, args, text: `the function given to \`${method}\``, construct: false });
    const results = rowOf.map((row, i) => {
      const elements = tiles.flatMap((values) => values.slice(i, i + 1));
      return call([...elements, row, ...colOf.slice(i, i + 1)].map(scalar));
    });
    const typed = results.find((r) => isStagedScalar(r));
    const dtype: DType =
      isStagedScalar(typed) && typed.type !== registerType(this.dtype)
        ? typed.type === "pred"
          ? "bool"
          : typed.type
        : this.dtype;
    return this.#with(
      trace,
      results.map((r) => lift(r, registerType(dtype), `what \`${method}\` makes of an element`)),
      dtype,
    );
  }

  scale(factor: number): AccumulatorObject {
    const trace = currentTrace("scale");
    const by = lift(factor, registerType(this.dtype), "the factor");
    const values = this.#elements(trace).map((v) =>
      lift(binary("*", scalar(v), scalar(by)), registerType(this.dtype), "a product"),
    );
    return this.#with(trace, values);
  }

  columns(start: number, count: number): AccumulatorObject {
    const trace = currentTrace("columns");
    const [rows, cols] = this.shape;
    const valid = [start, count].every((n) => Number.isInteger(n) && n >= 0 && n % 8 === 0) && count > 0 && start + count <= cols;
    const shown = (x: unknown): string => (typeof x === "number" ? String(x) : "of the GPU");
    if (!valid) failHere("W6117", { start: shown(start), count: shown(count), cols });
    const type: TileType = { ...this.type, shape: [rows, count] };
    return new AccumulatorObject(first(trace.emit("tile.columns", { tile: this.value }, { start }, { types: [type] })), type);
  }

  convert(dtype: DType): AccumulatorObject {
    const trace = currentTrace("convert");
    if (dtype === this.dtype) return this;
    if (this.dtype === "f32" && (dtype === "f16" || dtype === "bf16")) {
      const type = { ...this.type, dtype };
      return new AccumulatorObject(first(trace.emit("tile.convert", { tile: this.value }, {}, { types: [type] })), type);
    }
    const type = registerType(dtype);
    const values = this.#elements(trace).map((v) => convertTo(type, scalar(v)).value);
    return this.#with(trace, values, dtype);
  }

  store(dst: SharedView | Tensor): void {
    storeTile(currentTrace("store"), this.value, this.type, dst);
  }

  get [structure](): Structure {
    const { value, type } = this;
    return {
      shape: typeName(type),
      leaves: [new Staged(value)],
      rebuild: ([merged]) => new AccumulatorObject((merged as Staged).value, type),
      describe: `an accumulator [${this.shape.join(", ")}] of ${type.dtype}`,
      kept: true,
    };
  }
}
