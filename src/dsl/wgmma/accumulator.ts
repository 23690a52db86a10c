import { first } from "../../ir/arith.ts";
import { type AccType, type MatrixType, typeName, type Value } from "../../ir/index.ts";
import { registerType } from "../../ir/types.ts";
import type { DType } from "../../types.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/describe.ts";
import { lift } from "../numbers/lift.ts";
import { binary } from "../operators/binary.ts";
import { failHere } from "../trace/fail-here.ts";
import { scalar } from "../trace/scalar.ts";
import { type HasStructure, OwnObject, Staged, type Structure, structure } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { checkDType, convertedElements, eachElement, elementsOf, tileFrom } from "./each.ts";
import type { Operand } from "./operand.ts";
import { emitProduct, type ProductOptions } from "./product.ts";
import { storeTile } from "./store.ts";
import { spread, type TileVector, TileVectorObject } from "./vector.ts";

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
  /**
   * Two tiles of one shape element by element, such as a product and what `WGMMAMatrix.load` gives; or each element with what there is for
   * its row, such as `tile.sum(D, 1)`. W6126.
   */
  zip(other: Accumulator | TileVector, fn: (value: number, other: number, row: number, col: number) => number): Accumulator;
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
  readonly type: MatrixType;

  constructor(value: Value, type: MatrixType) {
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

  /** In the author's words. */
  get spread(): string {
    return spread(this.shape, this.type.layout.warpgroups);
  }

  /** The tile of these elements. */
  #with(trace: Trace, { values, dtype = this.dtype }: { values: readonly Value[]; dtype?: DType }): AccumulatorObject {
    const type = { ...this.type, dtype };
    return new AccumulatorObject(tileFrom(trace, type, values), type);
  }

  mma(A: Operand, B: Operand, options: ProductOptions = {}): AccumulatorObject {
    return new AccumulatorObject(emitProduct(currentTrace("mma"), this, A, B, options), this.type);
  }

  map(fn: (value: number, row: number, col: number) => number): AccumulatorObject {
    const trace = currentTrace("map");
    return this.#with(trace, eachElement(trace, this, "map", fn, [elementsOf(trace, this)], [0, 1]));
  }

  zip(
    other: Accumulator | TileVector,
    fn: (value: number, other: number, row: number, col: number) => number,
  ): AccumulatorObject {
    const trace = currentTrace("zip");
    const lists = [elementsOf(trace, this), this.#besides(trace, other)];
    return this.#with(trace, eachElement(trace, this, "zip", fn, lists, [0, 1]));
  }

  /** What another tile has beside each element. W6126. */
  #besides(trace: Trace, other: unknown): readonly Value[] {
    if (other instanceof AccumulatorObject && other.spread === this.spread) return elementsOf(trace, other);
    const rows = spread(this.shape.slice(0, 1), this.type.layout.warpgroups);
    if (other instanceof TileVectorObject && other.spread === rows) return other.besides(trace, this.type);
    const known = other instanceof AccumulatorObject || other instanceof TileVectorObject;
    return failHere("W6126", { mine: this.spread, theirs: known ? other.spread : describe(other) });
  }

  scale(factor: number): AccumulatorObject {
    const trace = currentTrace("scale");
    const by = lift(factor, registerType(this.dtype), "the factor");
    const values = elementsOf(trace, this).map((v) =>
      lift(binary("*", scalar(v), scalar(by)), registerType(this.dtype), "a product"),
    );
    return this.#with(trace, { values });
  }

  columns(start: number, count: number): AccumulatorObject {
    const trace = currentTrace("columns");
    const [rows, cols] = this.shape;
    const valid = [start, count].every((n) => Number.isInteger(n) && n >= 0 && n % 8 === 0) && count > 0 && start + count <= cols;
    const shown = (x: unknown): string => (typeof x === "number" ? String(x) : "of the GPU");
    if (!valid) failHere("W6117", { start: shown(start), count: shown(count), cols });
    const type: MatrixType = { ...this.type, shape: [rows, count] };
    return new AccumulatorObject(first(trace.emit("tile.columns", { tile: this.value }, { start }, { types: [type] })), type);
  }

  convert(dtype: DType): AccumulatorObject {
    const trace = currentTrace("convert");
    checkDType(dtype);
    if (dtype === this.dtype) return this;
    if (this.dtype === "f32" && (dtype === "f16" || dtype === "bf16")) {
      const type = { ...this.type, dtype };
      return new AccumulatorObject(first(trace.emit("tile.convert", { tile: this.value }, {}, { types: [type] })), type);
    }
    return this.#with(trace, { values: convertedElements(trace, this, dtype), dtype });
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
