import type { InstructionSet } from "../../target.ts";
import type { RawOp } from "../value.ts";

/**
 * What an operand may be. One letter of the same kind inside an op stands for one type (`T`); a trailing `?` makes the
 * operand optional, a trailing `*` makes it a list.
 */
export type OperandKind =
  | "T" // any scalar but pred; every T of the op is the same type
  | "int"
  | "float" // a scalar of that class; every one of the op is the same type
  | "scalar"
  | "pred"
  | "i32"
  | "offset" // offset: i32, u32, i64 or u64
  | "ptr"
  | "ptr.global"
  | "ptr.shared"
  | "ptr.cluster"
  | "ptr.shared or cluster"
  | "tensormap"
  | "desc"
  | "acc"
  | "any";
export type OperandSpec = OperandKind | `${OperandKind}?` | `${OperandKind}*`;

/** What an op gives: a type, the type of an operand (`=a`), types that the builder is told (`given`, any number of them), or nothing. */
export type ResultSpec = "pred" | "i32" | "u32" | "desc" | "ptr.shared" | "ptr.cluster" | "given" | `=${string}`;

/** An attribute: one of these values, or any value of a class. A trailing `?` on a class makes it optional. */
export type AttrClass = "number" | "string" | "boolean" | "number[]" | "literal" | "scalar type";
export type AttrSpec = readonly (string | number | boolean)[] | AttrClass | `${AttrClass}?`;

/**
 * What an op does beside giving its result. Ops without effects may be removed, merged and moved. `async`: goes on after the op.
 * `proxy.async`: through the async proxy (PTX ISA 8.6). `sync`: orders memory, or other threads. `wgmma`: takes part in the
 * order of wgmma operations of the warpgroup. `io`: seen from outside. `control`: ends or leaves a region.
 */
export type Effect =
  | "read.global"
  | "write.global"
  | "read.shared"
  | "write.shared"
  | "read.barrier"
  | "write.barrier"
  | "async"
  | "proxy.async"
  | "sync"
  | "wgmma"
  | "io"
  | "control";

/**
 * Whose threads run the op together, each of them once, in the same place: the scope over which its PTX is `.sync` or `.aligned`
 * (PTX ISA 9.7.13). `mask`: the lanes of its warp that the attribute `mask` names. What names none is done by each thread alone.
 */
export type Participants = "mask" | "warp" | "warpgroup" | "block" | "cluster";

export interface OpSpec {
  /** One sentence; where it is a PTX instruction, `ptx` names the section of the PTX ISA. */
  readonly doc: string;
  readonly ptx?: string | undefined;
  readonly operands: Readonly<Record<string, OperandSpec>>;
  readonly attrs?: Readonly<Record<string, AttrSpec>> | undefined;
  readonly result?: ResultSpec | undefined;
  /** Names of its regions, in order. */
  readonly regions?: readonly string[] | undefined;
  readonly effects: readonly Effect[];
  readonly participants?: Participants | undefined;
  /** What an author calls an op with participants, after "and … needs all of them". */
  readonly called?: string | undefined;
  /** The op ends its region. */
  readonly terminator?: true | undefined;
  /** The instructions that it belongs to, where not every target has it; those of sm_90 are taken for granted. */
  readonly target?: InstructionSet | undefined;
  /** What the types alone do not say: a sentence where the op is wrong. */
  readonly verify?: ((op: RawOp) => string | undefined) | undefined;
}

/** Declares ops. Every consumer is typed from the table. */
export const defineOps = <const T extends Readonly<Record<string, OpSpec>>>(ops: T): T => ops;

/** An entry of the table as it is read. It has every field: reading is quick where all entries are objects of one kind. */
export interface OpEntry extends OpSpec {
  /** The operand whose type the result has. */
  readonly like: string | undefined;
}

export function readEntry(spec: OpSpec): OpEntry {
  const { doc, ptx, operands, attrs, result, regions, effects, participants, called, terminator, target, verify } = spec;
  const like = result?.startsWith("=") ? result.slice(1) : undefined;
  return { doc, ptx, operands, attrs, result, like, regions, effects, participants, called, terminator, target, verify };
}
