/** Random programs as data: what the generator makes, the printer prints and the shrinker cuts. */
import type { operations } from "./operations.ts";

export const narrowTypes = ["i8", "u8", "i16", "u16"] as const;
export const wordTypes = ["i32", "u32"] as const;
export const wideTypes = ["i64", "u64"] as const;
export const floatTypes = ["f16", "bf16", "f32", "f64"] as const;
export type NarrowType = (typeof narrowTypes)[number];
export type WordType = (typeof wordTypes)[number];
export type WideType = (typeof wideTypes)[number];
export type FloatType = (typeof floatTypes)[number];
export type IntType = NarrowType | WordType | WideType;
export type Type = IntType | FloatType | "bool";
export const integerTypes = [...narrowTypes, ...wordTypes, ...wideTypes] as const;
export const allTypes: readonly Type[] = [...integerTypes, ...floatTypes, "bool"];

export const isFloatType = (type: Type): type is FloatType => (floatTypes as readonly Type[]).includes(type);
export const isWideType = (type: Type): type is WideType => type === "i64" || type === "u64";
export const isNarrowType = (type: Type): type is NarrowType => (narrowTypes as readonly Type[]).includes(type);
export const isIntType = (type: Type): type is IntType => type !== "bool" && !isFloatType(type);

/** What an integer surely lies in, both ends included. */
export interface Interval {
  readonly lo: bigint;
  readonly hi: bigint;
}

interface Typed {
  readonly type: Type;
  /**
   * Surely on the GPU and of that type. Otherwise it may be a JavaScript number, or one whose type is still open: then it stands only
   * beside a value that is sure.
   */
  readonly sure: boolean;
  /** Of integers. */
  readonly range?: Interval | undefined;
}

/** How one element of memory is spelled: `x[i][j]`, `x.at(i, j).load()`, `x[i].at(j).load()`, with a predicate. */
export type PlaceForm = "index" | "at" | "row" | "pred";
export interface Place {
  readonly memory: string;
  readonly index: readonly Expr[];
  readonly form: PlaceForm;
  /** Of `pred`: where false nothing is touched, and a load gives `other`. */
  readonly pred?: Expr;
  readonly other?: Expr;
}

export type Expr =
  | (Typed & { readonly kind: "op"; readonly op: keyof typeof operations; readonly args: readonly Expr[]; readonly n?: number })
  /** JavaScript that means the same on either side: static numbers, and names. */
  | (Typed & { readonly kind: "text"; readonly text: string })
  /** A number that takes the type of what it stands beside, and rounds to it. */
  | (Typed & { readonly kind: "literal"; readonly text: string })
  | (Typed & { readonly kind: "load"; readonly place: Place })
  | (Typed & { readonly kind: "call"; readonly name: string; readonly args: readonly Expr[] });

export type AtomicOp = "add" | "min" | "max" | "and" | "or" | "xor" | "exch";

export type Stmt =
  | { readonly kind: "declare"; readonly name: string; readonly constant: boolean; readonly value: Expr }
  /** `let x: number;`, assigned before it is read. */
  | { readonly kind: "unset"; readonly name: string; readonly wide: "number" | "bigint" | "boolean" }
  | { readonly kind: "array"; readonly name: string; readonly values: readonly Expr[] }
  | { readonly kind: "record"; readonly name: string; readonly values: readonly Expr[] }
  | { readonly kind: "assign"; readonly name: string; readonly value: Expr }
  /** `name op= value`, where the operation's first argument is the variable. */
  | { readonly kind: "update"; readonly name: string; readonly sign: string; readonly value: Expr }
  /** `++` and `--`. */
  | { readonly kind: "step"; readonly name: string; readonly sign: "++" | "--"; readonly value: Expr }
  | { readonly kind: "swap"; readonly a: string; readonly b: string }
  | { readonly kind: "store"; readonly place: Place; readonly value: Expr }
  /** `x[i] += v`: index and tensor are evaluated once. */
  | { readonly kind: "storeUpdate"; readonly place: Place; readonly sign: string; readonly value: Expr }
  | {
      readonly kind: "vector";
      readonly names: readonly string[];
      readonly place: Place;
    }
  | { readonly kind: "storeVector"; readonly place: Place; readonly values: readonly Expr[] }
  | {
      readonly kind: "view";
      readonly name: string;
      readonly of: string;
      readonly offset: readonly Expr[];
      readonly shape: readonly number[];
      readonly transpose: boolean;
    }
  | {
      readonly kind: "atomic";
      readonly op: AtomicOp;
      readonly place: Place;
      readonly value: Expr;
      readonly result?: string;
    }
  | { readonly kind: "swapIf"; readonly place: Place; readonly expected: Expr; readonly value: Expr; readonly result: string }
  | { readonly kind: "ballot"; readonly name: string; readonly condition: Expr }
  | { readonly kind: "sync" }
  | { readonly kind: "if"; readonly condition: Expr; readonly yes: readonly Stmt[]; readonly no?: readonly Stmt[] }
  | {
      readonly kind: "switch";
      readonly value: Expr;
      /** Labels of each case, and what it does; no labels: `default`. */
      readonly cases: readonly { readonly labels: readonly number[]; readonly body: readonly Stmt[] }[];
    }
  | {
      readonly kind: "range";
      readonly index: string;
      readonly label?: string;
      readonly bounds: readonly [Expr, Expr, Expr];
      readonly unroll?: number;
      readonly body: readonly Stmt[];
    }
  | {
      readonly kind: "static";
      readonly index: string;
      readonly label?: string;
      readonly form: "staticRange" | "for" | "of";
      readonly count: number;
      readonly body: readonly Stmt[];
    }
  /** A loop whose counter, which nothing else changes, goes from 0 up to `limit`. */
  | {
      readonly kind: "while";
      readonly counter: string;
      readonly label?: string;
      readonly form: "while" | "do" | "for" | "endless";
      readonly limit: Expr;
      readonly condition?: Expr;
      readonly body: readonly Stmt[];
    }
  | { readonly kind: "block"; readonly label: string; readonly body: readonly Stmt[] }
  | { readonly kind: "jump"; readonly jump: "break" | "continue"; readonly label?: string }
  | { readonly kind: "return"; readonly value?: Expr }
  /** `const name = (p) => { … return value; }`, which may assign variables outside. */
  | {
      readonly kind: "closure";
      readonly name: string;
      readonly params: readonly string[];
      readonly body: readonly Stmt[];
      readonly value: Expr;
    };

/** `input`: read by all. `output`: the column of a thread is its own. `atomic`: only through one atomic operation. */
export interface Memory {
  readonly name: string;
  readonly type: Type;
  readonly shape: readonly number[];
  readonly kind: "input" | "output" | "atomic" | "shared";
  readonly op?: AtomicOp;
  /** Extents that are passed at launch. */
  readonly dynamic?: readonly number[];
  /** Of shared memory: where elements lie, which nothing but their address shows. */
  readonly swizzle?: "32B" | "64B" | "128B";
}

export interface Scalar {
  readonly name: string;
  readonly type: Type | "static";
  readonly value: number | bigint | boolean;
}

/** A function beside the kernel. */
export interface Helper {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly type: Type }[];
  readonly result: Type;
  readonly body: readonly Stmt[];
}

export interface Program {
  readonly seed: number;
  readonly block: readonly number[];
  readonly grid: readonly number[];
  readonly debug: boolean;
  readonly memories: readonly Memory[];
  readonly scalars: readonly Scalar[];
  readonly helpers: readonly Helper[];
  readonly body: readonly Stmt[];
}

export const product = (shape: readonly number[]): number => shape.reduce((n, s) => n * s, 1);
