/**
 * The table of forms that can be *read*. It is broader than the one the generator writes from (`isa/index.ts`), and apart
 * from it on purpose: the generator's forms are types, so each must stay exact and few, whereas these are data that any
 * producer's PTX is matched against; and a mistake in one table is not repeated in the other. A test holds them together:
 * whatever the generator can write can be read.
 *
 * What an operand may be. `d`: a register that is written, or `_`; `s`: a register, immediate, special register, or address of a
 * variable or function; `v`, `w`: the same or a vector; `vec`: a vector; `vec2`: one, or `vector|p`; `p`: a predicate that is read; `dp`: one that is
 * written; `dp2`: one, or `p|q`; `d2`: a register, or `d|p`; `pair`: `d|p`; `imm`: an integer.
 */
export type ReadOperandKind =
  | "d"
  | "s"
  | "v"
  | "w"
  | "vec"
  | "vec2"
  | "p"
  | "dp"
  | "dp2"
  | "d2"
  | "pair"
  | "addr"
  | "tensor"
  | "label"
  | "list"
  | "imm";
/**
 * `kind`, or `kind:type`, where the type is one of PTX or the slot that names it, and `*2` after it means twice as wide. With `?`
 * at the end it may be left out; with `?slot` it is there exactly where that slot has a value.
 */
export type ReadOperand = ReadOperandKind | `${ReadOperandKind}:${string}` | `${ReadOperandKind}?${string}`;

export interface ReadForm {
  /** The mnemonic, then parts that are always there. */
  readonly text: string;
  /** Slots in the order of the manual; `""` among the values: it may be absent. Assemblers take them in any order, and so does the reader. */
  readonly modifiers?: Readonly<Record<string, readonly string[]>>;
  readonly operands: readonly ReadOperand[];
  /** Registers may be wider than the type (ISA 9.4.1). */
  readonly wide?: true;
}

export const defineReadForms = <const T extends Readonly<Record<string, ReadForm>>>(forms: T): T => forms;
