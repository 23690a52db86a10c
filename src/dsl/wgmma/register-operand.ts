import type { Value } from "../../ir/index.ts";
import { failHere } from "../fail-here.ts";
import { OwnObject } from "../staged.ts";
import type { Trace } from "../trace.ts";
import type { AccumulatorObject } from "./accumulator.ts";
import type { InputType, Operand } from "./operand.ts";

/** A left operand in registers. */
export class RegisterOperand extends OwnObject implements Operand {
  readonly dtype: InputType;
  readonly shape: readonly [number, number];
  /** For each K step, and within it for each 64 rows: four registers of two elements. PTX ISA 9.7.15.5.1.1, A. */
  readonly registers: readonly Value[];

  constructor(dtype: InputType, shape: readonly [number, number], registers: readonly Value[]) {
    super();
    this.dtype = dtype;
    this.shape = shape;
    this.registers = registers;
  }

  at(stage: number): Operand {
    return failHere("W6109", { index: String(stage), extent: 0 });
  }
}

/** The elements of a tile lie as those of a left operand do: 16 columns of the one are a K step of the other. W6123. */
export function registerOperand(trace: Trace, tile: AccumulatorObject): RegisterOperand {
  const { dtype, rows } = tile;
  const cols = tile.shape[1];
  if (dtype !== "f16" && dtype !== "bf16") return failHere("W6123", { dtype });
  if (cols % 16 !== 0) return failHere("W6104", { what: "A, the left operand,", multiple: 16, dtype, extent: cols });
  const pair = tile.pairs(trace, dtype);
  const perSlab = cols / 4;
  const registers: Value[] = [];
  for (let step = 0; step < cols / 16; step++) {
    for (let slab = 0; slab < rows / 64; slab++) {
      for (let i = 0; i < 4; i++) registers.push(pair(slab * perSlab + step * 4 + i));
    }
  }
  return new RegisterOperand(dtype, tile.shape, registers);
}
