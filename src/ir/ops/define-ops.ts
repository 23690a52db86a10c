import type { InstructionSet } from "../../base/target.ts";
import type { Type } from "../types.ts";
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
  | "view"
  | "tile"
  | "operand"
  | "fragment"
  | "any but acc"
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
 * (PTX ISA 9.7.13). `mask`: the lanes of its warp that the attribute `mask` names. `block` and `cluster`: whole warps of it, those that
 * come here; `whole block` and `whole cluster`: every thread. What names none is done by each thread alone.
 */
export type Participants = "mask" | "warp" | "warpgroup" | "block" | "cluster" | "whole block" | "whole cluster";

/**
 * How control flows through the regions of an op (src/ir/flow.ts). `branch`: one of two regions runs. `counted loop`: its region runs
 * for each number of a range, which is its first parameter. `loop`: the first region decides whether the second one runs, and then itself again.
 * `function`: its region is a function, which the op applies as often as it needs, to elements of tiles or to two values: `body` says what it takes and gives.
 */
export type RegionFlow = "branch" | "counted loop" | "loop" | "function";

/** Types of the parameters of a region, and of what it yields. */
export interface BodyTypes {
  readonly takes: readonly Type[];
  readonly gives: readonly Type[];
}

/**
 * What an op waits for, so that a kernel hangs where it does not come. `mbarrier`: a phase. `block`, `cluster`, `warp` and `grid`: other threads at a barrier.
 * `earlier grid`: a launch before this one. `registers`: those that other warpgroups give up. `memory`: what a loop
 * finds there. `text`: what the author's PTX says.
 */
export const waitKinds = ["mbarrier", "block", "cluster", "warp", "grid", "earlier grid", "registers", "memory", "text"] as const;
export type WaitKind = (typeof waitKinds)[number];

/** The table of the graph that an attribute indexes. */
export type GraphTable = "shared" | "logs" | "checks" | "waits";

/** How an op ends its region: it gives its `values` to the op around it, or nothing comes after it. */
export type Terminator = "yields" | "ends thread";

/** Groups of asynchronous work that are waited for by how many of them are unfinished. */
export type WorkGroup = "wgmma" | "bulk" | "cp.async";

/**
 * How a thread waits by an op. `until`: the op goes on when others have done something, and may wait for ever. `group`: it goes on when groups of the
 * thread's own work are done. `looks`: it gives what others may have written, and a loop around it may wait for that.
 */
export type Wait =
  | { readonly until: WaitKind; readonly group?: undefined; readonly looks?: undefined }
  | { readonly group: WorkGroup; readonly until?: undefined; readonly looks?: undefined }
  | { readonly looks: "mbarrier" | "memory"; readonly until?: undefined; readonly group?: undefined };

/** What a timeline calls what is waited for. Other waits are not shown. */
const shownWaits: Readonly<Partial<Record<WaitKind | WorkGroup, string>>> = {
  ...{ mbarrier: "mbarrier", block: "bar.sync", cluster: "barrier.cluster", grid: "grid.sync" },
  ...{ "earlier grid": "griddepcontrol.wait", "cp.async": "cp.async", bulk: "bulk copies", wgmma: "wgmma" },
};

/**
 * What a timeline shows of an op: a `wait` from where it begins to where it ends, a `load` or a `store` from its issue on, a group from
 * its `commit` on. `shown`: what it is called there, of a wait what is waited for. `group`: which groups it commits, is part of, or waits for.
 */
export interface Timed {
  readonly as: "wait" | "load" | "store" | "commit";
  readonly shown: string;
  readonly group?: WorkGroup;
}

function timedOf({ waits, issues }: OpTraits): Timed | undefined {
  const { until, group } = (typeof waits === "object" ? waits : undefined) ?? {};
  const waited = until ?? group;
  const shown = waited && shownWaits[waited];
  return shown === undefined ? issues : { as: "wait", shown, ...(group && { group }) };
}

/** Names of its regions, in order, and how control flows through them. */
type RegionsSpec =
  | { readonly regions: readonly string[]; readonly flow: Exclude<RegionFlow, "function">; readonly body?: undefined }
  | { readonly regions: readonly [string]; readonly flow: "function"; readonly body: (op: RawOp) => BodyTypes }
  | { readonly regions?: undefined; readonly flow?: undefined; readonly body?: undefined };

interface OpTraits {
  /** One sentence; where it is a PTX instruction, `ptx` names the section of the PTX ISA. */
  readonly doc: string;
  readonly ptx?: string | undefined;
  readonly operands: Readonly<Record<string, OperandSpec>>;
  readonly attrs?: Readonly<Record<string, AttrSpec>> | undefined;
  readonly result?: ResultSpec | undefined;
  readonly effects: readonly Effect[];
  readonly participants?: Participants | undefined;
  /** A function where that depends on its attributes. */
  readonly waits?: Wait | ((op: RawOp) => Wait | undefined) | undefined;
  /** What it begins, or closes, and a timeline shows from here on. */
  readonly issues?: (Timed & { readonly as: Exclude<Timed["as"], "wait"> }) | undefined;
  /** What an author calls an op with participants, after "and … needs all of them". */
  readonly called?: string | undefined;
  /** The operands may change places. */
  readonly commutative?: true | undefined;
  /** With one value as both operands, the op gives that value. */
  readonly idempotent?: true | undefined;
  /** `expensive`: takes so many instructions, or so long, that it is not done where the author did not ask for it. */
  readonly cost?: "expensive" | undefined;
  /** The operand whose registers the result takes over: that value is gone after the op. */
  readonly tied?: string | undefined;
  /** A tile that costs the same in every layout: where another one is wanted, the op is written again, and nothing is converted. */
  readonly anyLayout?: true | undefined;
  /** Layouts of the op's tiles go together, and that of the result follows from the operands'; elsewhere the operands' follow from it. */
  readonly layoutFrom?: "operands" | undefined;
  /** Attributes that index a table of the graph. */
  readonly references?: Readonly<Record<string, GraphTable>> | undefined;
  /** The op ends its region. */
  readonly terminator?: Terminator | undefined;
  /** Written by `debug`, and not by the author. */
  readonly ofDebug?: true | undefined;
  /** The level that has the op, where it is not both: passes make ops of the machine level of those of the tile level. */
  readonly level?: "tile" | "machine" | undefined;
  /** The instructions that it belongs to, where not every target has it; those of sm_90 are taken for granted. */
  readonly target?: InstructionSet | undefined;
  /** What the types alone do not say: a sentence where the op is wrong. */
  readonly verify?: ((op: RawOp) => string | undefined) | undefined;
}

export type OpSpec = OpTraits & RegionsSpec;

/** Declares ops. Every consumer is typed from the table. */
export const defineOps = <const T extends Readonly<Record<string, OpSpec>>>(ops: T): T => ops;

/** An entry of the table as it is read. It has every field: reading is quick where all entries are objects of one kind. */
export interface OpEntry extends Omit<OpTraits, "issues"> {
  /** What a timeline shows of the op, beside its line. */
  readonly timed: Timed | undefined;
  readonly regions: readonly string[] | undefined;
  readonly flow: RegionFlow | undefined;
  readonly body: ((op: RawOp) => BodyTypes) | undefined;
  /** The operand whose type the result has. */
  readonly like: string | undefined;
}

export function readEntry(spec: OpSpec): OpEntry {
  const { doc, ptx, operands, attrs, result, regions, flow, body, effects } = spec;
  const { participants, called, terminator, ofDebug, level, target, verify, waits } = spec;
  const { commutative, idempotent, cost, tied, anyLayout, layoutFrom, references } = spec;
  const like = result?.startsWith("=") ? result.slice(1) : undefined;
  const traits = { participants, called, commutative, idempotent, cost, tied, anyLayout, layoutFrom, references };
  return {
    doc,
    ptx,
    operands,
    attrs,
    result,
    like,
    regions,
    flow,
    body,
    effects,
    ...traits,
    terminator,
    ofDebug,
    level,
    target,
    verify,
    waits,
    timed: timedOf(spec),
  };
}
