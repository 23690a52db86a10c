/**
 * A program of loop nests and blocks, as data: what a schedule rewrites. Nothing here is ever changed in place; a rewrite makes a new
 * tree and keeps what it does not touch. Loops, variables, buffers and blocks are told apart by identity, so that a rewrite that keeps
 * an object keeps what refers to it. After Feng et al., TensorIR, ASPLOS 2023.
 */
import type { Span } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";

/** An integer that a loop, an axis of a block, or the size of a buffer stands for. All of them are i32 and not negative. */
export interface Var {
  /** What kind of expression it is. */
  readonly kind: "var";
  /** As it is printed; another variable in scope of the same name is printed with a number behind it. */
  readonly name: string;
  /** Its type. */
  readonly dtype: "i32";
}

/** Where a buffer lives. `wmma.*` and `mma.*` are registers of a warp, `wgmma.*` of a warpgroup, `local` of one thread. */
export const scopes = [
  "global",
  "shared",
  "local",
  "wmma.matrix_a",
  "wmma.matrix_b",
  "wmma.accumulator",
  "mma.matrix_a",
  "mma.matrix_b",
  "mma.accumulator",
  "wgmma.matrix_a",
  "wgmma.accumulator",
] as const;
/** One of `scopes`. */
export type Scope = (typeof scopes)[number];

export interface Buffer {
  /** Its name in the program. */
  readonly name: string;
  /** The type of its elements. */
  readonly dtype: DType;
  /** Elements per dimension, outermost first: constants, or sums and products of sizes. */
  readonly shape: readonly Expr[];
  /** Where it lives. */
  readonly scope: Scope;
  /** Elements put in after each row of the last dimension, against bank conflicts. Of shared memory alone. */
  readonly padding?: number;
  /** How the 16-byte units of a row are permuted, against bank conflicts; "128B" is what TMA and wgmma share. Of shared memory alone. */
  readonly swizzle?: "xor" | "32B" | "64B" | "128B";
  /**
   * Of what an intrinsic's description takes: the part that it is given may reach beyond the end of its buffer. What is not there is read as 0, and is
   * not written.
   */
  readonly clipped?: true;
  /** The byte of the memory that packed buffers share where this one begins. Lowering says so, of shared memory alone. */
  readonly at?: number;
  /** Where the author wrote it. */
  readonly span?: Span | undefined;
}

export type BinaryOp =
  | "+"
  | "-"
  | "*"
  | "/"
  | "floorDiv"
  | "%"
  | "min"
  | "max"
  | "<"
  | "<="
  | ">"
  | ">="
  | "==="
  | "!=="
  | "&&"
  | "||";

/** Functions of one number, spelled as `Math` spells them. */
export type MathOp = "abs" | "exp" | "exp2" | "log" | "log2" | "sqrt" | "tanh" | "sin" | "cos" | "floor" | "ceil";

export interface Const {
  readonly kind: "const";
  readonly dtype: DType;
  readonly value: number | boolean;
}
export interface Binary {
  readonly kind: "binary";
  readonly op: BinaryOp;
  readonly dtype: DType;
  readonly a: Expr;
  readonly b: Expr;
}
export interface Unary {
  readonly kind: "unary";
  readonly op: "-" | "!" | MathOp;
  readonly dtype: DType;
  readonly a: Expr;
}
export interface Cast {
  readonly kind: "cast";
  readonly dtype: DType;
  readonly a: Expr;
}
export interface Select {
  readonly kind: "select";
  readonly dtype: DType;
  readonly condition: Expr;
  readonly yes: Expr;
  readonly no: Expr;
}
export interface Load {
  readonly kind: "load";
  readonly dtype: DType;
  readonly buffer: Buffer;
  readonly indices: readonly Expr[];
}
export type Expr = Const | Var | Binary | Unary | Cast | Select | Load;

/** Dimension by dimension, where a part of a buffer begins and how many elements it has. */
export interface Range {
  readonly min: Expr;
  readonly extent: Expr;
}
export interface Region {
  readonly buffer: Buffer;
  readonly ranges: readonly Range[];
}

/** The indices of threads and blocks that a loop may be bound to. */
export type ThreadTag = "blockIdx.x" | "blockIdx.y" | "blockIdx.z" | "threadIdx.x" | "threadIdx.y" | "threadIdx.z";

/** How a loop runs. `vectorize`: its iterations are one access of neighbours; `unroll`: its body is written out. */
export type LoopKind = "serial" | "unroll" | "vectorize" | ThreadTag;

/** What `annotate` writes: for passes that come later, and for the reader. */
export type Annotations = Readonly<Record<string, string | number | boolean | readonly number[]>>;

/** `for (const variable of range(extent)) body`. Its variable is its identity. */
export interface For {
  readonly kind: "for";
  readonly variable: Var;
  readonly extent: Expr;
  readonly loop: LoopKind;
  readonly annotations: Annotations;
  readonly body: Stmt;
  readonly span?: Span | undefined;
}

/** An axis of a block: spatial ones may run in any order and at the same time, reductions are summed up in any order. */
export interface Axis {
  readonly variable: Var;
  readonly extent: Expr;
  readonly type: "spatial" | "reduce";
}

/**
 * A computation at one point of its axes, whatever loops run it. `values` are the axes as expressions of the loops around;
 * the block runs where `where` holds. Names are unique in a program.
 */
export interface Block {
  readonly kind: "block";
  readonly name: string;
  readonly axes: readonly Axis[];
  readonly values: readonly Expr[];
  readonly where?: Expr | undefined;
  /** Runs before `body` where all reduction axes are 0. */
  readonly init?: Stmt | undefined;
  readonly body: Stmt;
  readonly annotations: Annotations;
  readonly span?: Span | undefined;
}

export interface Store {
  readonly kind: "store";
  readonly buffer: Buffer;
  readonly indices: readonly Expr[];
  readonly value: Expr;
  readonly span?: Span | undefined;
}

export interface If {
  readonly kind: "if";
  readonly condition: Expr;
  readonly yes: Stmt;
  readonly no?: Stmt | undefined;
  readonly span?: Span | undefined;
}

export interface Seq {
  readonly kind: "seq";
  readonly body: readonly Stmt[];
}

/** A registered tensor intrinsic on parts of buffers: in the order of its description's parameters. */
export interface Intrinsic {
  readonly kind: "intrinsic";
  readonly name: string;
  readonly args: readonly Region[];
  readonly span?: Span | undefined;
}

/**
 * What orders threads and asynchronous copies and computes nothing: `op` names a row of the table of effects. A run in order may skip it.
 */
export interface Effect {
  readonly kind: "effect";
  readonly op: string;
  readonly args: readonly Expr[];
  readonly span?: Span | undefined;
}

export type Stmt = For | Block | Store | If | Seq | Intrinsic | Effect;

/** A program of loop nests and blocks: what `program(…)` gives, and each step of a schedule. To look at, print it. */
export interface Program {
  /** The name of its function, which is also that of its kernel. */
  readonly name: string;
  /** Its parameters, all in global memory. @internal */
  readonly params: readonly Buffer[];
  /** The extents that only a launch knows. @internal */
  readonly sizes: readonly Var[];
  /** The buffers that it allocates. @internal */
  readonly buffers: readonly Buffer[];
  /** What holds for the whole program: `packShared` lets buffers in shared memory whose lives do not meet lie in the same place. @internal */
  readonly annotations?: Annotations;
  /** What runs. @internal */
  readonly body: Stmt;
  /** Where its function stands. @internal */
  readonly span?: Span | undefined;
}
