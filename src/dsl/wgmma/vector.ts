import { first } from "../../ir/arith.ts";
import { type MatrixType, type TileType, typeName, type Value } from "../../ir/index.ts";
import { warpgroupsOf } from "../../layout/tile-layout.ts";
import type { DType } from "../../types.ts";
import type { SharedView, Tensor } from "../memory/types.ts";
import { describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import { type HasStructure, OwnObject, Staged, type Structure, structure } from "../trace/staged.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { checkDType, convertedElements, eachElement, elementsOf, tileFrom } from "./each.ts";
import { storeTile } from "./store.ts";

/** One number for each row of a tile, such as `tile.sum(D, 1)`: every thread holds those of the rows that it has elements of. */
export interface TileVector {
  /** The type of the elements. */
  readonly dtype: DType;
  /** [rows], of all warpgroups that share it. */
  readonly shape: readonly [number];
  /** Element by element, with the row of the tile. */
  map(fn: (value: number, row: number) => number): TileVector;
  /** Two of as many rows, over as many warpgroups, element by element. W6126. */
  zip(other: TileVector, fn: (value: number, other: number, row: number) => number): TileVector;
  /** Each element in another type, converted as by `f16(x)` and its like. */
  convert(dtype: DType): TileVector;
  /**
   * To shared memory or a tensor of one dimension; one thread writes each element. Elements outside a tensor are not written. W6118, W6119.
   */
  store(dst: SharedView<DType, 1> | Tensor<DType, 1>): void;
}

const over = (warpgroups: number): string => (warpgroups > 1 ? ` over ${warpgroups} warpgroups` : "");

/** In the author's words: shape, and over how many warpgroups. */
export const spread = (shape: readonly number[], warpgroups: number): string => `[${shape.join(", ")}]${over(warpgroups)}`;

/** See `TileVector`. */
export class TileVectorObject extends OwnObject implements TileVector, HasStructure {
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
  get shape(): readonly [number] {
    return [this.type.shape[0] ?? 0];
  }
  /** In the author's words. */
  get spread(): string {
    return spread(this.shape, warpgroupsOf(this.type));
  }

  #with(trace: Trace, { values, dtype }: { values: readonly Value[]; dtype: DType }): TileVectorObject {
    const type = { ...this.type, dtype };
    return new TileVectorObject(tileFrom(trace, type, values), type);
  }

  /** The thread's elements, in the order of its registers: of tiles with as many rows they are the same rows. */
  elements(trace: Trace): readonly Value[] {
    return elementsOf(trace, this);
  }

  /** For each element that a thread has of a matrix of these rows, what there is for its row. */
  besides(trace: Trace, matrix: MatrixType): readonly Value[] {
    const type: MatrixType = { ...matrix, dtype: this.dtype };
    return elementsOf(trace, { value: first(trace.emit("tile.expand", { tile: this.value }, {}, { types: [type] })), type });
  }

  map(fn: (value: number, row: number) => number): TileVectorObject {
    const trace = currentTrace("map");
    return this.#with(trace, eachElement(trace, this, "map", fn, [this.elements(trace)], [0]));
  }

  zip(other: TileVector, fn: (value: number, other: number, row: number) => number): TileVectorObject {
    const trace = currentTrace("zip");
    const given: unknown = other;
    if (!(given instanceof TileVectorObject) || given.spread !== this.spread)
      return failHere("W6126", {
        mine: this.spread,
        theirs: given instanceof TileVectorObject ? given.spread : describe(given),
      });
    return this.#with(trace, eachElement(trace, this, "zip", fn, [this.elements(trace), given.elements(trace)], [0]));
  }

  convert(dtype: DType): TileVectorObject {
    const trace = currentTrace("convert");
    checkDType(dtype);
    return dtype === this.dtype ? this : this.#with(trace, { values: convertedElements(trace, this, dtype), dtype });
  }

  store(dst: SharedView<DType, 1> | Tensor<DType, 1>): void {
    storeTile(currentTrace("store"), this.value, this.type, dst);
  }

  get [structure](): Structure {
    const { value, type } = this;
    return {
      shape: typeName(type),
      leaves: [new Staged(value)],
      rebuild: ([merged]) => new TileVectorObject((merged as Staged).value, type),
      describe: `one ${type.dtype} for each of ${this.shape[0]} rows${over(warpgroupsOf(type))}`,
      kept: true,
    };
  }
}
