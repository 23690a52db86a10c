import type { Spans } from "../base/diag/index.ts";
import type { AttrSpec, OperandSpec, WaitKind } from "./ops/define-ops.ts";
import type { OpName, OpTable } from "./ops/index.ts";
import type { ProgramOptions } from "./options.ts";
import type { ScalarType } from "./types.ts";
import type { Literal, Value } from "./value.ts";

export type { AttrValue, Literal, OperandValue, RawOp, Value } from "./value.ts";

/** Ops that run in order; the last one is a terminator. `params` are the values that come in. */
export interface Region {
  readonly params: readonly Value[];
  readonly ops: readonly Op[];
}

type OperandOf<S extends OperandSpec> = S extends `${string}?`
  ? Value | undefined
  : S extends `${string}*`
    ? readonly Value[]
    : Value;
export type Operands<K extends OpName> = {
  readonly [P in keyof OpTable[K]["operands"]]: OpTable[K]["operands"][P] extends OperandSpec
    ? OperandOf<OpTable[K]["operands"][P]>
    : never;
};

interface AttrClasses {
  number: number;
  string: string;
  boolean: boolean;
  "number[]": readonly number[];
  literal: Literal;
  "scalar type": ScalarType;
}
type AttrOf<S> = S extends readonly (infer U)[]
  ? U
  : S extends `${infer C extends keyof AttrClasses}?`
    ? AttrClasses[C] | undefined
    : S extends keyof AttrClasses
      ? AttrClasses[S]
      : never;
export type Attrs<K extends OpName> = OpTable[K] extends { readonly attrs: infer A extends Readonly<Record<string, AttrSpec>> }
  ? { readonly [P in keyof A as A[P] extends `${string}?` ? never : P]: AttrOf<A[P]> } & {
      readonly [P in keyof A as A[P] extends `${string}?` ? P : never]?: AttrOf<A[P]>;
    }
  : Readonly<Record<never, never>>;

/** One operation. `Op<"add">` has the operands and attributes of `add`. */
export interface Op<K extends OpName = OpName> {
  readonly name: K;
  readonly operands: Operands<K>;
  readonly attrs: Attrs<K>;
  readonly results: readonly Value[];
  readonly regions: readonly Region[];
  readonly spans: Spans;
}
/** An op of any name as consumers that switch on `name` see it. */
export type AnyOp = { [K in OpName]: Op<K> }[OpName];

/** `log`: what `log` and `assert` record in. `watch`: what a watched kernel records in, and then the number of its launch. Both are hidden from authors. */
export const paramKinds = ["tensor", "tma", "scalar", "log", "watch", "timeline"] as const;

/** A parameter of the kernel, in the order of the launch. `value` is the region parameter that stands for it. */
export interface GraphParam {
  /** As in the author's parameter list, with a path for what lies inside an object: `a`, `config.bias`, and `x.shape[0]` for a dynamic dimension. */
  readonly name: string;
  readonly kind: (typeof paramKinds)[number];
  readonly value: Value;
}

/** A buffer of shared memory. `offset` from the start of the block's shared memory, once `layout-shared` has run. */
export interface SharedBuffer {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly align: number;
  readonly offset?: number;
  readonly spans: Spans;
}

/** What a mark of a profile says: a span of the author's begins or ends, the warp has got a role, the warp has taken a tile. */
export const markNames = ["begin", "end", "role", "tile"] as const;
export type MarkName = (typeof markNames)[number];

/**
 * What makes text of a value that a `console.log` prints, where it does not stand for itself: `String(x)` in a text, or the specifier of
 * Node's `util.format` that takes it.
 */
export const logForms = ["text", "d", "i", "f", "j"] as const;
export type LogForm = (typeof logForms)[number];

/** A `console.log`, an `assert` or a mark of a profile in the kernel: what the host needs to understand what the GPU recorded. */
export interface LogSite {
  readonly kind: "log" | "assert" | "mark";
  /** Of a mark: which one. */
  readonly mark?: MarkName;
  /** What stands between the values: `parts.length` is one more than the number of values. Of a mark: its name alone. */
  readonly parts: readonly string[];
  readonly types: readonly ScalarType[];
  /** What makes text of each value; undefined where it stands for itself, as Node prints a value. */
  readonly forms?: readonly (LogForm | undefined)[];
  /** Of an assert that `debug` wrote by itself: what it checks. */
  readonly check?: Check;
  readonly spans: Spans;
}

/** What `debug` checks without being asked by an `assert`. */
export interface Check {
  /** An index against its extent; the result of an integer operator against its type; a number against what may be given. */
  readonly about: "index" | "overflow" | "range";
  /** Of an index: its extent as the author can write it, `x.shape[0]`. */
  readonly limit?: string;
  /** Of an index: that it is one of several, the outermost first. */
  readonly several?: boolean;
  /** Of a result: the operator as the author wrote it, `neg` where it has one operand, `/ 0` where the divisor is checked. */
  readonly operator?: string;
}

/** A place where a watched kernel may wait: what the host needs to understand what its warps recorded. */
export interface WaitSite {
  readonly waits: WaitKind;
  /** The op that waits, or that a loop looks by. */
  readonly op: OpName;
  /** Of a barrier of the block, its number where that is a literal. */
  readonly id?: number;
  /** Of a barrier of the block, its threads; 0: all of them. Of a barrier of a warp, the mask of its lanes. */
  readonly count?: number;
  readonly spans: Spans;
}

/** The names of the parameters for what a watched kernel records. */
export const watchNames = ["%watch", "%launch"] as const;

/** What every mark of a profile records before its values: `%globaltimer` and `%smid`. */
export const markTypes: readonly ScalarType[] = ["u64", "u32"];

/** The name of the parameter for what `log` and `assert` record. */
export const logName = "%log";

/** The name of the parameter for what a timeline records. */
export const timelineName = "%timeline";

/** A kernel, and what it was compiled with. Its body's parameters are `params`, in order. */
export interface Graph extends ProgramOptions {
  readonly name: string;
  readonly params: readonly GraphParam[];
  readonly body: Region;
  readonly shared: readonly SharedBuffer[];
  readonly logs: readonly LogSite[];
  /** What `check` ops say: the tile level's. A pass makes log sites of those that it writes down. */
  readonly checks?: readonly LogSite[];
  /** Where it may wait, where it is watched. */
  readonly waits?: readonly WaitSite[];
}
