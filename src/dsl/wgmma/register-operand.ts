import { elementBytes } from "../../base/element-types.ts";
import { first } from "../../ir/arith.ts";
import { typeName, type Value } from "../../ir/index.ts";
import { isAuto, layoutText, type TileLayout } from "../../layout/index.ts";
import { tile } from "../tiles/index.ts";
import { writtenLayout } from "../tiles/layout.ts";
import { failHere } from "../trace/fail-here.ts";
import { type HasOperatorFix, operatorFix, productFix, type WrittenOperator } from "../trace/operator-fix.ts";
import { type HasStructure, OwnObject, ownMethods, type Structure, structure, structureOf } from "../trace/staged.ts";
import { readTile, type StagedTile, toAuthor } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";
import { type InputType, isInputType, type Operand } from "./operand.ts";

/** A left operand in registers. */
export class RegisterOperand extends OwnObject implements Operand, HasStructure, HasOperatorFix {
  readonly dtype: InputType;
  readonly shape: readonly [number, number];
  readonly value: Value;
  readonly warpgroups: number;

  constructor(dtype: InputType, shape: readonly [number, number], value: Value, warpgroups: number) {
    super();
    this.warpgroups = warpgroups;
    this.dtype = dtype;
    this.shape = shape;
    this.value = value;
  }

  at(stage: number): Operand {
    return failHere("W6109", { index: String(stage), extent: 0 });
  }

  [operatorFix](written: WrittenOperator): string | undefined {
    return productFix(written);
  }

  get [structure](): Structure {
    const { dtype, shape, value, warpgroups } = this;
    const what = `an operand [${shape.join(", ")}] of ${dtype} from registers`;
    const make = (merged: Value): RegisterOperand => new RegisterOperand(dtype, shape, merged, warpgroups);
    return structureOf(value, `${typeName(value.type)} over ${warpgroups}`, what, make);
  }
}
ownMethods(RegisterOperand);

/** The layout that a left operand of that type has: of 16-bit types that of accumulators. */
const layoutOf = (dtype: InputType, warpgroups: number): TileLayout =>
  elementBytes[dtype] === 2
    ? { kind: "wgmma", warpgroups }
    : { kind: "operand", width: elementBytes[dtype] === 1 ? 4 : 1, warpgroups };

const isLike = (layout: TileLayout, { dtype }: { readonly dtype: InputType }): boolean =>
  layoutText(layout) === layoutText(layoutOf(dtype, "warpgroups" in layout ? layout.warpgroups : 1)) ||
  (layout.kind === "operand" && layout.width === 4 / elementBytes[dtype]);

/** A tile as a left operand, in the layout that this takes. W6104, W6123, W6125. */
export function registerOperand(trace: Trace, given: StagedTile): RegisterOperand {
  const { dtype, shape, layout } = given.type;
  if (!isInputType(dtype)) return failHere("W6123", { dtype });
  const [rows = 0, cols = 0, ...more] = shape;
  if (shape.length < 2 || more.length > 0) return failHere("W6125", { shape: shape.join(", ") });
  const multiple = 32 / elementBytes[dtype];
  if (cols % multiple !== 0) return failHere("W6104", { what: "A, the left operand,", multiple, dtype, extent: cols });
  const warpgroups = isAuto(layout) ? layout.groups[1] : "warpgroups" in layout ? layout.warpgroups : 1;
  const wanted = layoutOf(dtype, warpgroups);
  const made = isLike(layout, { dtype }) ? given : readTile(tile.convertLayout(toAuthor(given), writtenLayout(wanted)));
  if (!made) return failHere("W6125", { shape: shape.join(", ") });
  const type = { kind: "operand", dtype, rows, cols, view: undefined, chosen: 0, major: undefined } as const;
  const value = first(trace.emit("operand.registers", { tile: made.value }, {}, { types: [type] }));
  return new RegisterOperand(dtype, [rows, cols], value, warpgroups);
}
