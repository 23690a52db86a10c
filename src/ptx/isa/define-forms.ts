/**
 * What an operand may be. `d`: a register that is written; `s`: a register or immediate; `sym`: the address of a variable;
 * `v`: a register or a vector that is written; `w`: a register, immediate or vector that is read; `vec`: a vector;
 * `p`: a predicate that is read, `dp`: one that is written; `pair`: `d|p`; `imm`: an immediate alone.
 * After a colon: the PTX type of its registers, or the modifier slot that names the type.
 */
export type OperandKind =
  | "d"
  | "s"
  | "special"
  | "sym"
  | "v"
  | "w"
  | "vec"
  | "p"
  | "dp"
  | "pair"
  | "addr"
  | "tensor"
  | "label"
  | "imm"
  | "sink";
export type OperandForm = OperandKind | `${OperandKind}?` | `${OperandKind}:${string}`;

/** One form of an instruction. `modifiers`: slots in the order of the text; `""` among the values means that it may be absent. */
export interface FormSpec {
  /** The opcode with the modifiers that never change. */
  readonly text: string;
  readonly modifiers?: Readonly<Record<string, readonly string[]>>;
  /** In order. A trailing `?` makes an operand optional. */
  readonly operands: readonly OperandForm[];
  /** The version of the PTX ISA that brought it, where that is later than 8.0. */
  readonly since?: string;
  /** Control does not go on after it (unless guarded). */
  readonly ends?: true;
}

/** Declares forms; instructions are typed from the table. */
export const defineForms = <const T extends Readonly<Record<string, FormSpec>>>(forms: T): T => forms;
