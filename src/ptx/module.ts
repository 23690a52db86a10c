import type { Instruction } from "./instruction.ts";
import type { Instruction as ReadInstruction, Label as ReadLabel, Register as ReadRegister } from "./parse/tree.ts";
import type { Reg, RegClass } from "./regs.ts";

export interface Label {
  readonly kind: "label";
  readonly name: string;
}
/** `.loc`: the instructions that follow come from there. `file` counts from 1, as in `.file`. */
export interface Loc {
  readonly kind: "loc";
  readonly file: number;
  readonly line: number;
  readonly column: number;
}
export interface Comment {
  readonly kind: "comment";
  readonly text: string;
}
/** An instruction of the author's own PTX, of any form that can be read. `registers`: what stands for each of its registers; `labels`: what its labels are called. */
export interface Inlined {
  readonly kind: "inlined";
  readonly instruction: ReadInstruction;
  readonly registers: ReadonlyMap<ReadRegister, Reg>;
  readonly labels: ReadonlyMap<ReadLabel, string>;
}
export type Statement = Instruction | Inlined | Label | Loc | Comment;

/** A kernel parameter: a scalar, or a block of bytes. `about` is printed as a comment. */
export interface Param {
  readonly name: string;
  readonly type:
    | "u8"
    | "s8"
    | "b16"
    | "u16"
    | "s16"
    | "b32"
    | "u32"
    | "s32"
    | "b64"
    | "u64"
    | "s64"
    | "f32"
    | "f64"
    | { readonly align: number; readonly bytes: number };
  readonly about?: string;
}

/** Performance-tuning directives (PTX ISA 11.4). */
export interface EntryDirectives {
  readonly reqntid: readonly [number, number, number];
  readonly maxnreg?: number;
  readonly minnctapersm?: number;
  /** `.explicitcluster` and `.reqnctapercluster` */
  readonly cluster?: readonly [number, number, number];
}

export interface Entry {
  readonly name: string;
  readonly params: readonly Param[];
  readonly directives: EntryDirectives;
  /** How many registers of each class; their ids count from 0. */
  readonly registers: Readonly<Record<RegClass, number>>;
  readonly body: readonly Statement[];
}

export interface PtxModule {
  readonly version: string;
  /** As in `.target`. */
  readonly target: string;
  /** Paths, for `.loc`. */
  readonly files: readonly string[];
  /** The block's dynamic shared memory. */
  readonly shared?: { readonly name: string; readonly align: number };
  readonly entry: Entry;
}
