import { noSpans } from "../../base/diag/index.ts";
import { isTile, type TileType, type Value } from "../../ir/index.ts";
import { fail } from "../errors/index.ts";
import { type HasStructure, ownMethods, Staged, type Structure, structure, ValueObject } from "./staged.ts";
import { activeTrace } from "./trace.ts";

const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * A block of elements over the registers of threads. To TypeScript it is a `number` or a `boolean`, so that operators and `Math` take it;
 * JavaScript itself cannot compute with it, so turning it into a primitive is an error that says so.
 */
export class StagedTile extends ValueObject<TileType> implements HasStructure {
  /** In the author's words. */
  get what(): string {
    return `a tile [${this.type.shape.join(", ")}] of ${this.type.dtype}`;
  }

  [Symbol.toPrimitive](): never {
    return fail("W2008", { noun: "tile" }, activeTrace()?.spans() ?? noSpans);
  }
  toJSON(): never {
    return this[Symbol.toPrimitive]();
  }
  [inspect](): string {
    return `[${this.what} on the GPU]`;
  }

  get [structure](): Structure {
    const { value, type } = this;
    return {
      // Without the layout: one that is open becomes the other's where two meet.
      shape: `tile ${type.dtype} ${type.shape.join("x")}`,
      leaves: [new Staged(value)],
      rebuild: ([merged]) => {
        const { value: own } = merged as Staged;
        return new StagedTile(own, isTile(own.type) ? own.type : type);
      },
      describe: this.what,
      kept: true,
    };
  }
}
ownMethods(StagedTile);

/** What holds a tile, such as an accumulator: it is taken for that tile where one is asked for. */
export const heldTile: unique symbol = Symbol("warpsmith.tile");

export const isStagedTile = (x: unknown): x is StagedTile => x instanceof StagedTile;

/** What the author sees of a tile. The cast is the boundary: to TypeScript a tile is a number. */
export const toAuthor = (tile: StagedTile): never => tile as never;
export const tileOf = (value: Value, type: TileType): never => toAuthor(new StagedTile(value, type));

/** The tile that the author gave; undefined where it is none. */
export function readTile(x: unknown): StagedTile | undefined {
  if (isStagedTile(x)) return x;
  return typeof x === "object" && x !== null && heldTile in x ? (x[heldTile] as StagedTile) : undefined;
}
