import { first } from "../../ir/arith.ts";
import type { Value } from "../../ir/index.ts";
import { failHere } from "../trace/fail-here.ts";
import { OwnObject } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import type { InputType, Operand } from "./operand.ts";
import type { Tile } from "./sharing.ts";

/** A left operand in registers. */
export class RegisterOperand extends OwnObject implements Operand {
  readonly dtype: InputType;
  readonly shape: readonly [number, number];
  readonly value: Value;

  constructor(dtype: InputType, shape: readonly [number, number], value: Value) {
    super();
    this.dtype = dtype;
    this.shape = shape;
    this.value = value;
  }

  at(stage: number): Operand {
    return failHere("W6109", { index: String(stage), extent: 0 });
  }
}

/** W6104, W6123. */
export function registerOperand(trace: Trace, { value, type: { dtype, shape } }: Tile): RegisterOperand {
  const [rows, cols] = shape;
  if (dtype !== "f16" && dtype !== "bf16") return failHere("W6123", { dtype });
  if (cols % 16 !== 0) return failHere("W6104", { what: "A, the left operand,", multiple: 16, dtype, extent: cols });
  const type = { kind: "operand", dtype, rows, cols, view: undefined, chosen: 0, major: undefined } as const;
  return new RegisterOperand(dtype, shape, first(trace.emit("operand.registers", { tile: value }, {}, { types: [type] })));
}
