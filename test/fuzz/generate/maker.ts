/** What the parts of the generator share: the random choices, what a statement may use where it stands, and intervals. */
import { limits } from "../../cases/numbers.ts";
import type { operations } from "../operations.ts";
import {
  type Expr,
  type Helper,
  type Interval,
  type IntType,
  isIntType,
  isWideType,
  type Memory,
  type Scalar,
  type Stmt,
  type Type,
} from "../program.ts";
import type { Random } from "../random.ts";

export interface Variable {
  readonly name: string;
  readonly type: Type;
  readonly sure: boolean;
  readonly range?: Interval | undefined;
  readonly assignable: boolean;
}

/** Something to load from: an input, a part of one, shared memory that nobody writes now. */
export type Readable = Pick<Memory, "name" | "type" | "shape" | "kind" | "dynamic" | "swizzle">;

/** A loop or a labelled block that a jump may leave. */
export interface Target {
  readonly label: string | undefined;
  readonly loop: boolean;
}

/** What can be said where a statement stands. */
export interface Scope {
  readonly variables: readonly Variable[];
  readonly readable: readonly Readable[];
  readonly targets: readonly Target[];
  /** Every thread that has not ended comes here, as often as the others: barriers may stand here. */
  readonly uniform: boolean;
  /** A thread may end here. In a loop that writes shared memory none may: the next round would write what that thread has read. */
  readonly ends: boolean;
  /** How many more constructs may be nested. */
  readonly depth: number;
  readonly loops: number;
  readonly returns: "thread" | "nothing" | Type;
  /** An i32 into which everything is mixed that would else not show in the results. */
  readonly digest: string | undefined;
}

export interface Maker {
  readonly random: Random;
  /** The types of this program. */
  readonly types: readonly Type[];
  readonly memories: Memory[];
  readonly scalars: Scalar[];
  readonly helpers: Helper[];
  /** The shape of a block, and of the grid. */
  readonly threads: readonly number[];
  readonly grid: readonly number[];
  /** A name that nothing else has. */
  fresh(prefix: string): string;
  /** Statements that may still be made. */
  left: number;
  /** A thread may have ended. It comes to no later barrier: votes of whole warps are over, and writes to shared memory that it may have read. */
  ended: boolean;
  /** A value of exactly that type, surely on the GPU. */
  make(scope: Scope, type: Type, depth: number): Expr;
  /** The inside of a construct. */
  block(scope: Scope, most: number): readonly Stmt[];
}

/** Statements, and what can be said after them. */
export interface Made {
  readonly statements: readonly Stmt[];
  readonly scope: Scope;
}

export const withVariables = (scope: Scope, variables: readonly Variable[]): Scope => ({
  ...scope,
  variables: [...scope.variables, ...variables],
});

export const has = (m: Maker, type: Type): boolean => m.types.includes(type);

type OpName = keyof typeof operations;

/** A result, by default surely on the GPU; `n` is the operation's static number. */
export const op = (name: OpName, type: Type, args: readonly Expr[], range?: Interval, n?: number): Expr => ({
  kind: "op",
  op: name,
  type,
  sure: true,
  args,
  range: isIntType(type) ? (range ?? fullRange(type)) : undefined,
  ...(n === undefined ? {} : { n }),
});

export const text = (name: string, type: Type, sure: boolean, range?: Interval): Expr => ({
  kind: "text",
  text: name,
  type,
  sure,
  range: isIntType(type) ? (range ?? fullRange(type)) : undefined,
});

export const variableText = (v: Variable): Expr => text(v.name, v.type, v.sure, v.range);

export const fullRange = (type: IntType): Interval => ({ lo: limits[type][0], hi: limits[type][1] });
export const within = (a: Interval, b: Interval): boolean => a.lo >= b.lo && a.hi <= b.hi;
export const interval = (lo: number | bigint, hi: number | bigint): Interval => ({ lo: BigInt(lo), hi: BigInt(hi) });
export const union = (a: Interval, b: Interval): Interval => ({ lo: a.lo < b.lo ? a.lo : b.lo, hi: a.hi > b.hi ? a.hi : b.hi });

/** The interval of an integer expression. */
export function rangeOf(e: Expr): Interval {
  if (e.range) return e.range;
  throw new Error(`${e.type} has no range`);
}

/** A whole number as the author writes it beside that type. */
export const wholeText = (type: Type, n: bigint): string => {
  const digits = `${n}${isWideType(type) ? "n" : ""}`;
  return n < 0n ? `(${digits})` : digits;
};

/** A static whole number. */
export const whole = (type: IntType, n: bigint | number): Expr => text(wholeText(type, BigInt(n)), type, false, interval(n, n));

/** A whole number that is on the GPU. */
export const stagedWhole = (type: IntType, n: bigint | number): Expr => op("convert", type, [whole(type, n)], interval(n, n));

export const deeper = (scope: Scope, change: Partial<Scope> = {}): Scope => ({ ...scope, depth: scope.depth - 1, ...change });
