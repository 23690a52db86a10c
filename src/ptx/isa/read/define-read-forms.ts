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

/**
 * What classes of instruction a form belongs to: declared here once, for whoever runs, orders or checks instructions. What is not
 * declared does not hold.
 */
export interface FormTraits {
  /** All lanes of the warp run it together: what is `.aligned`, and barriers, which count warps. */
  readonly collective?: true;
  /** A barrier of threads, or an operation on an mbarrier. */
  readonly barrier?: "threads" | "mbarrier";
  /** Arrives at a barrier of threads, and does not wait there. */
  readonly arrives?: true;
  /** Reduces a predicate over those who meet at a barrier of threads: counts it, or joins it by the operation of its modifier. */
  readonly joins?: "count" | "op";
  /** Lanes of a warp give each other values: a result may hold what any of them has brought. */
  readonly exchanges?: true;
  /** Leaves a carry for instructions behind it, unless its modifier does. */
  readonly carries?: true;
  /** A wait for a phase of an mbarrier, named by its parity or by a state. */
  readonly phase?: "parity" | "state";
  /** What the thread itself does at the address; a reduction is an atomic operation without a result. */
  readonly access?: "load" | "store" | "atomic" | "reduction";
  /** What comes behind it in its thread may be done before it has read, as an H200 was seen to do where ptxas makes `LDSM` of it (decision 35). */
  readonly overtaken?: true;
  /** It reads by a cache that does not see what is written while the kernel runs; `ld` does where its modifier says so. */
  readonly nonCoherent?: true;
  /** What it starts goes on after it: a copy, a store to another block, a product. */
  readonly async?: "copy" | "store" | "product";
  /** Through global memory it tells other blocks something, or hears it: always, or where the access is strong (PTX ISA 8.4). */
  readonly communicates?: "always" | "strong";
  /** Affects other clusters or launches, or waits for them, by something else than a strong access: their order, or the maps that they copy by. */
  readonly crossesClusters?: true;
  /** It is no `access`, and changes what lies at its first operand. */
  readonly overwrites?: true;
  /** Its results are its operands, moved, chosen or converted. */
  readonly moves?: true;
  /** What a fence puts in order: accesses, accesses with copies, initialised mbarriers or tensor maps with what uses them, or something else. */
  readonly fence?: "memory" | "async" | "inits" | "maps" | "other";
  /** Changes where the stack of its thread ends. */
  readonly stack?: true;
  /** Ends the launch with an error. */
  readonly traps?: true;
  /** Another instruction than the next one may follow, or none. */
  readonly jumps?: true;
}

export interface ReadForm extends FormTraits {
  /** The mnemonic, then parts that are always there. */
  readonly text: string;
  /** Slots in the order of the manual; `""` among the values: it may be absent. Assemblers take them in any order, and so does the reader. */
  readonly modifiers?: Readonly<Record<string, readonly string[]>>;
  readonly operands: readonly ReadOperand[];
  /** Registers may be wider than the type (ISA 9.4.1). */
  readonly wide?: true;
}

export const defineReadForms = <const T extends Readonly<Record<string, ReadForm>>>(forms: T): T => forms;
