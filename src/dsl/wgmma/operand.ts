import { add, constant, first, mul } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { extentOf, type Layout, patternBytes, shapeOf } from "../../layout/modes.ts";
import type { DType, Swizzle } from "../../types.ts";
import { failHere } from "../fail-here.ts";
import { elementBytes } from "../memory/dtype.ts";
import { definition, isMultipleOf } from "../memory/multiple-of.ts";
import { indexOffset, noOffset, type Offset, plus } from "../memory/offset.ts";
import { alignmentAt, SharedViewObject, viewPointer } from "../memory/shared-view.ts";
import type { SharedView } from "../memory/types.ts";
import { lift, liftIndex } from "../numbers/lift.ts";
import { describe } from "../numbers/operands.ts";
import { scalar } from "../scalar.ts";
import { type HasStructure, OwnObject, Staged, type Structure, structure } from "../staged.ts";
import { currentTrace, type Trace } from "../trace.ts";
import { isProblem, type Problem, type Walk, walkOf } from "./walk.ts";

/** The left or right hand side of a product. */
export interface Operand {
  /** [rows, columns]. */
  readonly shape: readonly [number, number];
  /** The operand in stage `stage` of its view's leading dimension. W6109. */
  at(stage: number): Operand;
}

const inputTypes = ["f16", "bf16", "tf32", "e4m3", "e5m2", "i8", "u8"] as const;
export type InputType = (typeof inputTypes)[number];
const isInputType = (dtype: DType): dtype is InputType => (inputTypes as readonly DType[]).includes(dtype);

export type RoleName = "A" | "B";
/** How a matrix serves as one side of a product: its walk and its descriptor. */
export interface Role {
  readonly walk: Walk;
  readonly desc: Value;
}

interface OperandParts {
  readonly dtype: InputType;
  readonly swizzle: Swizzle;
  readonly shape: readonly [number, number];
  readonly roles: Readonly<Record<RoleName, Role | Problem>>;
  /** Leading dimensions that are not chosen yet. */
  readonly stages: Layout;
  /** From the descriptor's start, in bytes. */
  readonly advance: Offset;
}

const isRole = (x: Role | Problem): x is Role => "walk" in x;

/** See `Operand`. */
export class OperandObject extends OwnObject implements Operand, HasStructure {
  readonly parts: OperandParts;

  constructor(parts: OperandParts) {
    super();
    this.parts = parts;
  }

  get shape(): readonly [number, number] {
    return this.parts.shape;
  }
  get dtype(): InputType {
    return this.parts.dtype;
  }

  at(stage: number): OperandObject {
    const trace = currentTrace("at");
    const [dimension, ...rest] = this.parts.stages;
    const given = liftIndex(stage, "a stage");
    const index = typeof given === "bigint" ? Number(given) : given;
    const extent = dimension ? extentOf(dimension) : 0;
    if (!dimension || (typeof index === "number" && (index < 0 || index >= extent)))
      return failHere("W6109", { index: typeof index === "number" ? String(index) : "", extent });
    const advance = plus(trace, this.parts.advance, indexOffset(trace, dimension, index, "i32"));
    return new OperandObject({ ...this.parts, stages: rest, advance });
  }

  /** This operand as one side of a product. W6103–W6108. */
  role(name: RoleName): Role {
    const role = this.parts.roles[name];
    return isRole(role) ? role : failRole(role, name, this.parts);
  }

  /** The descriptor of the chosen stage; `by`: units of 16 bytes further on. */
  descriptor(trace: Trace, name: RoleName, by?: Value): Value {
    const open = this.parts.stages.filter((d) => extentOf(d) > 1);
    if (open.length > 0) failHere("W6105", { extents: shapeOf(open).join(", ") });
    const { desc } = this.role(name);
    const { fixed, staged } = this.parts.advance;
    const parts = [staged && units(trace, staged), by, fixed === 0 ? undefined : constant(trace, fixed / 16, "i32")].filter(
      (v) => v !== undefined,
    );
    if (parts.length === 0) return desc;
    const sum = parts.reduce((a, b) => add(trace, a, b));
    return first(trace.emit("wgmma.advance", { desc, by: sum }, {}));
  }

  get [structure](): Structure {
    const { roles, advance, ...rest } = this.parts;
    const walks = [roles.A, roles.B].map((r) => (isRole(r) ? r.walk : r));
    const descs = [roles.A, roles.B].flatMap((r) => (isRole(r) ? [new Staged(r.desc)] : []));
    const where = advance.staged ? scalar(add(currentTrace("an operand"), advance.staged, advance.fixed)) : advance.fixed;
    return {
      shape: `operand ${JSON.stringify({ ...rest, walks })}`,
      leaves: [where, ...descs],
      rebuild: ([at, ...values]) => {
        const next = [...values];
        const renew = (r: Role | Problem): Role | Problem =>
          isRole(r) ? { walk: r.walk, desc: (next.shift() as Staged).value } : r;
        const offset: Offset =
          typeof at === "number"
            ? { fixed: at, staged: undefined }
            : { fixed: 0, staged: lift(at, "i32", "the place of an operand") };
        return new OperandObject({ ...this.parts, roles: { A: renew(roles.A), B: renew(roles.B) }, advance: offset });
      },
      describe: `an operand [${this.shape.join(", ")}] of ${this.dtype}`,
    };
  }
}

/**
 * A byte offset that is a multiple of 16, in units of 16 bytes: a product's factor is divided instead of the product, also within a sum
 * of such.
 */
function units(trace: Trace, bytes: Value): Value {
  const op = definition(trace, bytes);
  if (op?.name === "add") {
    const { a, b } = op.operands;
    if (isMultipleOf(trace, a, 16) && isMultipleOf(trace, b, 16)) return add(trace, units(trace, a), units(trace, b));
  }
  const by =
    op?.name === "shl" || op?.name === "mul"
      ? factorOf(trace, op.operands as { a: Value; by?: Value; b?: Value }, op.name)
      : undefined;
  if (by !== undefined && by.factor % 16 === 0) return mul(trace, by.of, by.factor / 16);
  return first(trace.emit("shr", { a: bytes, by: constant(trace, 4, "i32") }, {}));
}

function factorOf(
  trace: Trace,
  operands: { a: Value; by?: Value; b?: Value },
  name: "shl" | "mul",
): { of: Value; factor: number } | undefined {
  const second = name === "shl" ? operands.by : operands.b;
  const op = second && trace.makerOf(second);
  const literal = op?.name === "const" ? (op.attrs as { value: unknown }).value : undefined;
  if (typeof literal !== "number") return undefined;
  return { of: operands.a, factor: name === "shl" ? 2 ** literal : literal };
}

function failRole(problem: Problem, name: RoleName, { dtype, swizzle, shape }: OperandParts): never {
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

/** An operand in shared memory. W6101–W6108. */
export function makeOperand(view: SharedView, shape: readonly [number, number], major?: "k" | "mn"): OperandObject {
  const trace = currentTrace("WGMMAMatrix.descriptor");
  const given: unknown = view;
  if (!(given instanceof SharedViewObject)) return failHere("W4516", { given: describe(given) });
  const { dtype, swizzle, layout } = given.parts;
  const [rows, cols] = layout.slice(-2);
  const actual = given.shape.slice(-2);
  if (!rows || !cols || shape.length !== 2 || shape[0] !== actual[0] || shape[1] !== actual[1])
    return failHere("W6101", { shape: shape.join(", "), view: actual.join(", ") });
  if (!isInputType(dtype)) return failHere("W6102", { dtype });
  const bytes = elementBytes[dtype];
  const walks = {
    A: walkOf({ mn: rows, k: cols, block: 64, bytes, swizzle }),
    B: walkOf({ mn: cols, k: rows, block: extentOf(cols), bytes, swizzle }),
  };
  const stages = layout.slice(0, -2);
  checkStart(given, stages);
  const ptr = viewPointer(trace, given.parts);
  const make = (walk: Walk | Problem): Role | Problem => {
    if (isProblem(walk)) return walk;
    if (major !== undefined && walk.major !== major) return { kind: "irregular" };
    return {
      walk,
      desc: first(trace.emit("wgmma.descriptor", { ptr }, { swizzle, leading: walk.leading, stride: walk.stride })),
    };
  };
  return new OperandObject({
    dtype,
    swizzle,
    shape: [shape[0], shape[1]],
    roles: { A: make(walks.A), B: make(walks.B) },
    stages,
    advance: noOffset,
  });
}

/** The start, and every stage's, lies in row 0 of a pattern. W6108. */
function checkStart(view: SharedViewObject, stages: Layout): void {
  const { swizzle, offset } = view.parts;
  const align = Math.max(16, patternBytes(swizzle));
  const row = Math.max(16, Math.min(128, align / 8));
  const what = "an operand of wgmma";
  const strays = stages.flat().filter((m) => m.extent > 1 && m.stride % align !== 0);
  if (strays[0]) failHere("W6108", { what: "each stage of an operand", align, known: strays[0].stride & -strays[0].stride });
  if (offset.fixed % 16 !== 0 || (swizzle !== "none" && offset.fixed % align >= row))
    failHere("W6108", { what, align, known: offset.fixed & -offset.fixed });
  const known = alignmentAt(view.parts, 0);
  if (known < align) failHere("W6108", { what, align, known });
}
