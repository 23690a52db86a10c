import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import { type AccType, type MatrixType, registerType, type TileType, typeName, type Value } from "../../ir/index.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import { TensorObject } from "../memory/tensor.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { convertTo } from "../numbers/convert.ts";
import { describe } from "../numbers/describe.ts";
import { broadcast, elementwise } from "../numbers/elementwise.ts";
import { lift } from "../numbers/lift.ts";
import { binary } from "../operators/binary.ts";
import { storeTile } from "../tiles/access.ts";
import { failHere } from "../trace/fail-here.ts";
import { closedAs } from "../trace/open-tiles.ts";
import { elementFix, type HasOperatorFix, operatorFix, type WrittenOperator } from "../trace/operator-fix.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { type HasStructure, own, ownMethods, type Structure, structure, structureOf, ValueObject } from "../trace/staged.ts";
import { heldTile, isStagedTile, StagedTile, toAuthor } from "../trace/staged-tile.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { checkDType, mapElements } from "./each.ts";
import type { Operand } from "./operand.ts";
import { emitProduct, type ProductOptions } from "./product.ts";

const over = (warpgroups: number): string => (warpgroups > 1 ? ` over ${warpgroups} warpgroups` : "");

/** In the author's words: shape, and over how many warpgroups. */
const spread = (shape: readonly number[], warpgroups: number): string => `[${shape.join(", ")}]${over(warpgroups)}`;

/** Is it of that layout, with the same extents or those of one element? */
const goesBeside = (type: TileType, matrix: MatrixType): boolean =>
  typeName({ ...type, shape: matrix.shape }) === typeName(matrix) && type.shape.every((n, d) => n === 1 || n === matrix.shape[d]);

/** Element by element. */
const each = (args: readonly unknown[], what: string, f: (args: readonly unknown[]) => unknown, dtype?: DType): StagedTile =>
  elementwise(args, what, f, dtype);

/** A product in the type of the accumulator. */
const lifted = (x: unknown, dtype: DType): never => scalar(lift(x, registerType(dtype), "a product"));

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
   * its row, such as `tile.expand(tile.sum(D, 1), 1)`. W6126.
   */
  zip(other: Accumulator | number, fn: (value: number, other: number, row: number, col: number) => number): Accumulator;
  /** Times a scalar, or a tile that goes beside it, such as one factor for each row: `tile.expand(factors, 1)`. W6201, W6202. */
  scale(factor: number): Accumulator;
  /** Some of the columns: static multiples of 8. W6117. */
  columns(start: number, count: number): Accumulator;
  /**
   * Each element in another type, converted as by `f16(x)` and its like: `D.convert("f16")` before a store or `WGMMAMatrix.fromRegisters`.
   */
  convert(dtype: DType): Accumulator;
  /** To shared memory (stmatrix where it fits) or global memory. Elements outside a tensor are not written. W6118, W6119. */
  store(dst: SharedView | Tensor): void;
  /** The elements as a tile, for operators, `Math` and the functions of `tile`. Only after a wait that covers the product (W6001). */
  readonly tile: number;
}

/** What wgmma sums in: f32, f16 or i32. PTX ISA 9.7.15.2. */
export type AccumulatorType = AccType["dtype"];

/** See `Accumulator`. */
export class AccumulatorObject extends ValueObject<MatrixType> implements Accumulator, HasStructure, HasOperatorFix {
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

  /** Another tile that lies like this one. */
  #like(value: Value): AccumulatorObject {
    return new AccumulatorObject(value, value.type as MatrixType);
  }

  mma(A: Operand, B: Operand, options: ProductOptions = {}): AccumulatorObject {
    return new AccumulatorObject(emitProduct(currentTrace("mma"), this, A, B, options), this.type);
  }

  map(fn: (value: number, row: number, col: number) => number): AccumulatorObject {
    return this.#like(mapElements(currentTrace("map"), { method: "map", fn, tiles: [this] }));
  }

  zip(other: Accumulator | number, fn: (value: number, other: number, row: number, col: number) => number): AccumulatorObject {
    const trace = currentTrace("zip");
    return this.#like(mapElements(trace, { method: "zip", fn, tiles: [this, this.#besides(trace, other)] }));
  }

  /** As `zip`, with any number of others. */
  mapWith(others: readonly (Accumulator | number)[], fn: (...elements: readonly number[]) => unknown): AccumulatorObject {
    const trace = currentTrace("map");
    const beside = others.map((other) => this.#besides(trace, other));
    return this.#like(mapElements(trace, { method: "map", fn: own(fn), tiles: [this, ...beside] }));
  }

  /** What another tile has beside each element. W6126. */
  #besides(trace: Trace, other: unknown): { readonly value: Value; readonly type: TileType } {
    if (other instanceof AccumulatorObject && other.spread === this.spread) return other;
    const type = { ...this.type, dtype: other instanceof StagedTile ? other.type.dtype : this.dtype };
    const beside = other instanceof StagedTile ? closedAs(trace, other, this.type.layout) : undefined;
    if (beside && goesBeside(beside.type, type)) return { value: broadcast(trace, beside, this.shape), type };
    const theirs = other instanceof AccumulatorObject ? other.spread : other instanceof StagedTile ? other.what : describe(other);
    return failHere("W6126", { mine: this.spread, theirs });
  }

  scale(factor: number): AccumulatorObject {
    currentTrace("scale");
    const given: unknown = factor;
    const by = given instanceof StagedTile ? given : scalar(lift(factor, registerType(this.dtype), "the factor"));
    const { value } = each([this[heldTile], by], "`scale`", ([a, b]) => lifted(binary("*", a, b), this.dtype));
    if (String((value.type as TileType).shape) !== String(this.shape))
      failHere("W6202", { what: "`scale`", a: describe(this), b: (given as StagedTile).what });
    return this.#like(value);
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
    const to = registerType(dtype);
    return this.#like(each([this[heldTile]], "`convert`", ([x]) => convertTo(to, x as number), dtype).value);
  }

  store(dst: SharedView | Tensor): void {
    const view: unknown = dst;
    if (!(view instanceof SharedViewObject || view instanceof TensorObject)) failHere("W4516", { given: describe(view) });
    storeTile(currentTrace("store"), this, view.destination);
  }

  get tile(): number {
    return toAuthor(this[heldTile]);
  }
  get [heldTile](): StagedTile {
    return new StagedTile(this.value, this.type);
  }

  [operatorFix](written: WrittenOperator, other: unknown, isLeft: boolean): string | undefined {
    const { op, left, right, taker } = written;
    const [mine, theirs] = isLeft ? [left, right] : [right, left];
    if (isStagedTile(other)) return `write \`${isLeft ? `${mine}.tile ${op} ${theirs}` : `${theirs} ${op} ${mine}.tile`}\``;
    const isNumber = typeof other === "number" || isStagedScalar(other);
    if (op === "*" && isNumber) return `write \`${taker ?? mine} = ${mine}.scale(${theirs})\``;
    return elementFix(written, isLeft, isNumber ? "number" : other instanceof AccumulatorObject ? "alike" : undefined);
  }

  get [structure](): Structure {
    const { value, type } = this;
    const what = `an accumulator [${this.shape.join(", ")}] of ${type.dtype}`;
    return { ...structureOf(value, typeName(type), what, (merged) => new AccumulatorObject(merged, type)), kept: true };
  }
}
ownMethods(AccumulatorObject);

/**
 * What `fn` makes of the elements at each place of accumulators that lie alike, or of tiles that go beside them, such as one element for
 * each row; it is given the row and column behind them. W6126.
 */
export function mapTogether(
  [first, ...more]: readonly [Accumulator, ...(readonly (Accumulator | number)[])],
  fn: (...elements: readonly number[]) => unknown,
): Accumulator {
  if (!(first instanceof AccumulatorObject)) return failHere("W6126", { mine: "an accumulator", theirs: describe(first) });
  return first.mapWith(more, fn);
}
