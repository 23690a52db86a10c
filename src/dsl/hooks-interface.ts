/**
 * What transformed code calls. The transform rewrites syntax into these calls and knows nothing of what they mean; every
 * meaning is here. A transformed module begins with
 *
 *     import { open as $open } from "warpsmith/hooks";
 *     const $ = $open(1, { file: "examples/ch1/kernel.ts", spans: [line, column, length, line, column, length, …] });
 *
 * and passes the index of a span (`At`) as the first argument of each call. Outside a trace every hook does just what plain
 * JavaScript would do, so that a helper can be unit-tested on the host. `hook-names.ts` holds the version and the names.
 */
import type { HookName } from "../base/hook-names.ts";

/** Index into the module's table of spans. */
export type At = number;

/** What the transform read of one parameter: its annotation, through imports and aliases. */
export type ParamKind =
  | { readonly kind: "tensor"; readonly dtype?: string; readonly rank?: number }
  | { readonly kind: "tma"; readonly dtype?: string; readonly rank?: number }
  /** Of a program. */
  | { readonly kind: "buffer"; readonly dtype?: string; readonly rank?: number }
  | { readonly kind: "scalar"; readonly dtype: string }
  | { readonly kind: "static" }
  /** A bare `number` or `bigint`: an error for a kernel, anything for a helper. `at` is the annotation's span. */
  | { readonly kind: "bare"; readonly type: "number" | "bigint"; readonly at: At }
  /** Only TypeScript knows what it is; `why` ends a sentence. An error for a kernel, anything for a helper. */
  | { readonly kind: "unclear"; readonly type: string; readonly why: string; readonly at: At }
  /** No annotation, or any other one: static; tensors and tensor maps inside it are parameters. */
  | { readonly kind: "other" };

export interface FunctionMeta {
  /** The author's name, or "" where there is none. */
  readonly name: string;
  /** "kernel": the literal given to `kernel()`; "helper": `"use kernel"` or `helper()`; "program": the literal given to `program()`; "inner": written inside one of those. */
  readonly role: "kernel" | "helper" | "program" | "inner";
  readonly params: readonly (ParamKind & {
    readonly name: string;
    /** Of a kernel's parameter: it is declared with `?`. */
    readonly optional?: boolean;
    /** Of a number that a kernel takes: its default value, of the arguments before it. */
    readonly default?: (...before: readonly unknown[]) => unknown;
  })[];
}

/** Why a statement list ended: undefined when it ran to its end. Made by `ret`, `brk`, `cont` and the statement hooks, opaque to the transform. */
export type Completion = object | undefined;
export type Block = () => Completion;

/**
 * The outer variables that are assigned somewhere in the blocks of one call (conditions, nested closures' bodies, destructuring
 * targets included). `at`: the span of each one's declaration. Null where there are none.
 */
export type Vars = {
  readonly names: readonly string[];
  readonly at: readonly At[];
  get(): unknown[];
  set(values: readonly unknown[]): void;
} | null;

// biome-ignore lint/suspicious/noExplicitAny: hooks stand for operators on values of every type
type Any = any;

export interface Hooks extends Record<HookName, (...args: never[]) => unknown> {
  // ------------------------------------------------------------------------------------------------ functions
  /** Marks a function as transformed and gives it back. For declarations the call stands at the top of the scope that hoists them.
   * A class is marked the same way, after its declaration: its constructor and field initialisers are transformed (its methods carry `method`).
   */
  fn<F extends ((...args: Any[]) => unknown) | (new (...args: Any[]) => unknown)>(at: At, meta: FunctionMeta, f: F): F;
  /** The same as a decorator, written below `@kernel(…)`: `@kernel(o) @$.method(3, meta) static m() {…}`. */
  method(at: At, meta: FunctionMeta): <F extends (...args: Any[]) => unknown>(f: F, context?: unknown) => F;
  /** A function body whose returns are not all its last statement: gives the returned value, merged where the returns are staged. */
  body(at: At, run: Block): unknown;

  // ------------------------------------------------------------------------------------------------ statements
  ret(at: At, value?: unknown): Completion;
  brk(at: At, label?: string): Completion;
  cont(at: At, label?: string): Completion;
  /**
   * `if (condition) yes else no`, then `rest`: the statements after it in the same list, given where `yes` or `no` may leave
   * (so that `rest` is written once and runs only where neither left). `vars` covers all three blocks.
   */
  if(at: At, condition: unknown, yes: Block, no: Block | null, vars: Vars, rest?: Block): Completion;
  /**
   * Around a condition, or a side of one, whose value is that of `x[i]`, of a method or of `new`, itself or in a `const`: refuses an object of
   * the language that the expression at `made` has made, and is always there. -1: whatever object of the language it is.
   */
  test<T>(at: At, value: T, made: At): T;
  /** The statements after a loop, switch or labelled block that may leave: they run where `before` is normal. */
  then(at: At, before: Completion, rest: Block, vars: Vars): Completion;
  /** `for (const x of iterable)`. Breaks and continues that name this loop (or no label) end here; other completions pass on. */
  forOf(at: At, iterable: unknown, body: (element: Any) => Completion, vars: Vars, labels?: readonly string[]): Completion;
  /** `while`, `do` (`postTest`), C-style `for`. `continue` runs `update` next. `vars` covers test, update and body, and the loop's own variables. */
  loop(
    at: At,
    parts: {
      test: (() => unknown) | null;
      update: (() => void) | null;
      body: Block;
      postTest?: boolean;
      labels?: readonly string[];
    },
    vars: Vars,
  ): Completion;
  /** Cases in order; `test` null is `default`. A body that ends without `brk` falls through: `last` says that nothing comes after it. */
  switch(
    at: At,
    value: unknown,
    cases: readonly { at: At; test: (() => unknown) | null; body: Block; empty: boolean }[],
    vars: Vars,
    labels?: readonly string[],
  ): Completion;
  /** A labelled block: `break label` ends here. */
  label(at: At, name: string, body: Block, vars: Vars): Completion;
  /** The keys that `for (… in object)` visits. */
  keys(at: At, object: unknown): readonly string[];
  /** An expression statement: refuses a result that it discards, of what has no other effect (`put.next();`), and a product (`D.mma(A, B);`). `isOperator`: the expression is one. */
  stmt(at: At, value: unknown, isOperator?: boolean): void;
  /** What follows `throw`: refuses it under staged control. Written `throw $.raise(3, value)`. */
  raise(at: At, value: unknown): unknown;

  // ----------------------------------------------------------------------------------------------- expressions
  /** Binary operators: `+ - * / % ** & | ^ << >> >>> === !== == != < <= > >= in instanceof`. */
  bin(at: At, op: string, a: unknown, b: unknown): Any;
  /** `- + ~ ! typeof void`, and `++ --`: the value one up or down, `1n` for a bigint (the assignment is written around it). */
  un(at: At, op: string, a: unknown): Any;
  /** Short-circuit operators; `vars`: the outer variables assigned on the right side. */
  and(at: At, a: unknown, b: () => unknown, vars: Vars): Any;
  or(at: At, a: unknown, b: () => unknown, vars: Vars): Any;
  nullish(at: At, a: unknown, b: () => unknown, vars: Vars): Any;
  cond(at: At, condition: unknown, yes: () => unknown, no: () => unknown, vars: Vars): Any;
  /** The first of its arguments: `i++` is `$.first(i, i = $.un(3, "++", i))`. */
  first<T>(value: T, ...rest: unknown[]): T;
  template(at: At, strings: readonly string[], values: readonly unknown[]): Any;
  /** A computed key of an object literal or class member: refuses a staged one. */
  key(at: At, key: unknown): PropertyKey;
  /** What `...x` spreads in a call, an array or an object literal, and what `{ a, ...rest }` takes apart: refuses a staged one. */
  spread(at: At, iterable: unknown): Iterable<unknown>;
  /** What array destructuring reads: the first `count` elements, and with `rest` one more: an array of those after. */
  elements(at: At, iterable: unknown, count: number, rest: boolean): unknown[];

  // ------------------------------------------------------------------------------------------- fields, elements
  /** `object.key` and `object[key]`. */
  get(at: At, object: unknown, key: unknown): Any;
  getOpt(at: At, object: unknown, key: unknown): Any;
  /** `object[key] = value`; gives `value`. */
  set(at: At, object: unknown, key: unknown, value: unknown): Any;
  /** `object[key] op= …`: object and key are evaluated once. Gives the new value. */
  update(at: At, object: unknown, key: unknown, change: (old: Any) => unknown): Any;
  /** The same for `object[key]++`: gives the old value. */
  updatePost(at: At, object: unknown, key: unknown, change: (old: Any) => unknown): Any;
  /** `delete object[key]`: an error in a trace. */
  remove(at: At, object: unknown, key: unknown): boolean;
  /** A variable that an inner function assigns lives in a box, read and written as its field `v` by `get` and `set`. */
  box(at: At, name: string, value?: unknown): { v: Any };
  /** Around each object and array literal: this object was born here, so what is assigned to it needs no merging outside the region. */
  born<T>(value: T): T;

  // ------------------------------------------------------------------------------------------------------ calls
  /** `f(…args)`. `text`: the callee as the author wrote it. */
  call(at: At, f: unknown, args: readonly unknown[], text: string): Any;
  callOpt(at: At, f: unknown, args: () => readonly unknown[], text: string): Any;
  /** `object.key(…args)` with `this`. */
  invoke(at: At, object: unknown, key: unknown, args: readonly unknown[], text: string): Any;
  /** `object?.key(…)` (`on: "object"`) and `object.key?.(…)` (`on: "method"`). */
  invokeOpt(at: At, object: unknown, key: unknown, args: () => readonly unknown[], text: string, on: "object" | "method"): Any;
  /** `new constructor(…args)`. */
  make(at: At, type: unknown, args: readonly unknown[], text: string): Any;
  /** A tagged template; `object` is `this`. */
  tagged(
    at: At,
    object: unknown,
    tag: unknown,
    strings: readonly string[],
    raw: readonly string[],
    values: readonly unknown[],
    text: string,
  ): Any;
}

/** What a transformed module says of itself. */
export interface ModuleInfo {
  /** As it shall appear in errors: relative to the working directory where it lies below it. */
  readonly file: string;
  /** Line, column (both from 1) and length of each span, flat. */
  readonly spans: readonly number[];
  /** Spans of element accesses and method calls, each with those of its index or arguments. */
  readonly parts?: readonly (readonly At[])[];
  /** The spans of calls whose value a variable or a field is given at once, and its name; in programs of `for … of`, too, with the names of what each element is. */
  readonly binds?: { readonly [at: At]: string };
}
