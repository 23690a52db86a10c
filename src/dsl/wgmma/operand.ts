import { elementBytes } from "../../base/element-types.ts";
import type { DType } from "../../base/types.ts";
import { first } from "../../ir/arith.ts";
import { type OperandType, type SharedViewType, typeName, type Value } from "../../ir/index.ts";
import { isProblem, type Problem, stridesAs } from "../../layout/index.ts";
import { extentOf, hardwareSwizzle, isXor, type Layout, shapeOf } from "../../layout/modes/index.ts";
import { operandOf } from "../memory/index-value.ts";
import { SharedViewObject } from "../memory/shared-view.ts";
import type { SharedView } from "../memory/types.ts";
import { describe } from "../numbers/describe.ts";
import { liftIndex } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { type HasOperatorFix, operatorFix, productFix, type WrittenOperator } from "../trace/operator-fix.ts";
import { type HasStructure, OwnObject, ownMethods, type Structure, structure, structureOf } from "../trace/staged.ts";
import { currentTrace } from "../trace/trace.ts";

/** The left or right hand side of a product. */
export interface Operand {
  /** [rows, columns]. */
  readonly shape: readonly [number, number];
  /** The operand in stage `stage` of its view's leading dimension. W6109. */
  at(stage: number): Operand;
}

const inputTypes = ["f16", "bf16", "tf32", "e4m3", "e5m2", "i8", "u8"] as const;
export type InputType = (typeof inputTypes)[number];
export const isInputType = (dtype: DType): dtype is InputType => (inputTypes as readonly DType[]).includes(dtype);

export type RoleName = "A" | "B";

interface OperandParts {
  readonly value: Value;
  readonly type: OperandType;
  readonly dtype: InputType;
  readonly view: SharedViewType;
}

/** See `Operand`. */
export class OperandObject extends OwnObject implements Operand, HasStructure, HasOperatorFix {
  readonly parts: OperandParts;

  constructor(parts: OperandParts) {
    super();
    this.parts = parts;
  }

  get shape(): readonly [number, number] {
    return [this.parts.type.rows, this.parts.type.cols];
  }
  get dtype(): InputType {
    return this.parts.dtype;
  }

  /** Leading dimensions that are not chosen yet. */
  get #stages(): Layout {
    return this.parts.view.layout.slice(0, -2).slice(this.parts.type.chosen);
  }

  at(stage: number): OperandObject {
    const trace = currentTrace("at");
    const [dimension] = this.#stages;
    const given = liftIndex(stage, "a stage");
    const index = typeof given === "bigint" ? Number(given) : given;
    const extent = dimension ? extentOf(dimension) : 0;
    if (!dimension || (typeof index === "number" && (index < 0 || index >= extent)))
      return failHere("W6109", { index: typeof index === "number" ? String(index) : "", extent });
    const type = { ...this.parts.type, chosen: this.parts.type.chosen + 1 };
    const operands = { operand: this.parts.value, stage: operandOf(trace, index) };
    return new OperandObject({
      ...this.parts,
      type,
      value: first(trace.emit("operand.at", operands, {}, { types: [type] })),
    });
  }

  /** This operand as one side of a product, every stage chosen. W6103–W6108. */
  side(name: RoleName): Value {
    const { dtype, view, type, value } = this.parts;
    const { layout } = view;
    const strides = stridesAs(name, {
      layout,
      swizzle: hardwareSwizzle(view.swizzle),
      bytes: elementBytes[dtype],
      major: type.major,
    });
    if (isProblem(strides)) return failRole(strides, name, this);
    const open = this.#stages.filter((d) => extentOf(d) > 1);
    if (open.length > 0) failHere("W6105", { extents: shapeOf(open).join(", ") });
    return value;
  }

  [operatorFix](written: WrittenOperator): string | undefined {
    return productFix(written);
  }

  get [structure](): Structure {
    const { type, value } = this.parts;
    const what = `an operand [${this.shape.join(", ")}] of ${this.dtype}`;
    return structureOf(value, typeName(type), what, (merged) => new OperandObject({ ...this.parts, value: merged }));
  }
}
ownMethods(OperandObject);

function failRole(problem: Problem, name: RoleName, { dtype, shape, parts }: OperandObject): never {
  const { swizzle } = parts.view;
  const what = name === "A" ? "A, the left operand," : "B, the right operand,";
  switch (problem.kind) {
    case "k":
      return failHere("W6104", { what, multiple: problem.multiple, dtype, extent: name === "A" ? shape[1] : shape[0] });
    case "rows":
      return name === "A"
        ? failHere("W6110", { what, given: shape[0], multiple: problem.multiple })
        : failHere("W6111", { cols: shape[1], integers: false });
    case "mn-major":
      return failHere("W6103", { what, dtype });
    case "pitch":
      return failHere("W6106", { what, given: problem.given, wanted: problem.wanted, swizzle });
    default:
      return failHere("W6107", { what });
  }
}

/** An operand in shared memory. W3025, W6101–W6108. */
export function makeOperand(view: SharedView, shape: readonly [number, number], major?: "k" | "mn"): OperandObject {
  const trace = currentTrace("WGMMAMatrix.descriptor");
  const given: unknown = view;
  if (!(given instanceof SharedViewObject)) return failHere("W4516", { given: describe(given) });
  const { dtype, layout } = given.parts.type;
  const [rows, cols] = layout.slice(-2);
  const actual = given.shape.slice(-2);
  if (!rows || !cols || shape.length !== 2 || shape[0] !== actual[0] || shape[1] !== actual[1])
    return failHere("W6101", { shape: shape.join(", "), view: actual.join(", ") });
  if (!isInputType(dtype)) return failHere("W6102", { dtype });
  if (major !== undefined && major !== "k" && major !== "mn")
    failHere("W3025", { what: "`major`", given: describe(major), allowed: '"k" or "mn"' });
  const from = given.parts.type;
  if (isXor(from.swizzle)) failHere("W6129", { what: given.what });
  const type: OperandType = { kind: "operand", dtype, rows: shape[0], cols: shape[1], view: from, chosen: 0, major };
  const value = first(trace.emit("operand.shared", { view: given.used(trace) }, {}, { types: [type] }));
  return new OperandObject({ value, type, dtype, view: from });
}
