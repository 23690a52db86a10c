import { display, optionsOf, placeOnStack, refuseMore } from "../base/diag/index.ts";
import { markExplicit } from "./calls/functions.ts";
import { branch, noVariables, type Variables } from "./control/branch.ts";
import { choose } from "./control/choose.ts";
import { forOf } from "./control/for-of.ts";
import { range } from "./control/range.ts";
import { whileLoop as whileStatement } from "./control/while-loop.ts";
import { truth } from "./numbers/compare.ts";
import { openConstant } from "./numbers/constant.ts";
import { convertTo } from "./numbers/convert.ts";
import { checkFunction, checkOptionsHere } from "./numbers/describe.ts";
import { isLiteral } from "./numbers/literals.ts";
import { wrap } from "./numbers/operands.ts";
import { selectValue } from "./numbers/select.ts";
import { usable } from "./numbers/unusable.ts";
import { binary } from "./operators/binary.ts";
import { unary } from "./operators/unary.ts";
import { failHere } from "./trace/fail-here.ts";
import { isStagedScalar, StagedScalar } from "./trace/scalar.ts";
import { own } from "./trace/staged.ts";
import { activeTrace, currentTrace, type Trace } from "./trace/trace.ts";

/** A scalar with its operators as methods, for code that has not been through the transform. */
export interface ScalarMethods {
  /** `this + x`. */
  add(x: number): Scalar;
  /** `this - x`. */
  sub(x: number): Scalar;
  /** `this * x`. */
  mul(x: number): Scalar;
  /** `this / x`. Of two integers W2005: say how to round. */
  div(x: number): Scalar;
  /** `this % x`. The sign is that of this scalar. */
  mod(x: number): Scalar;
  /** `-this`. W2012 of an unsigned integer. */
  neg(): Scalar;
  /** `this & x`. */
  and(x: number): Scalar;
  /** `this | x`. */
  or(x: number): Scalar;
  /** `this ^ x`. */
  xor(x: number): Scalar;
  /** `this << x`. */
  shl(x: number): Scalar;
  /** `this >> x`. The sign moves in. */
  shr(x: number): Scalar;
  /** `this >>> x`. Zeros move in; the result is a u32. */
  ushr(x: number): Scalar;
  /** `this === x`. */
  eq(x: number): boolean;
  /** `this !== x`. True of NaN. */
  ne(x: number): boolean;
  /** `this < x`. */
  lt(x: number): boolean;
  /** `this <= x`. */
  le(x: number): boolean;
  /** `this > x`. */
  gt(x: number): boolean;
  /** `this >= x`. */
  ge(x: number): boolean;
}
/** A number of the GPU with its operators as methods. */
export type Scalar = number & ScalarMethods;

/** Runs a function of the explicit form where the author calls it. */
function atCaller<T>(what: string, run: (trace: Trace) => T): T {
  const trace = currentTrace(what);
  return trace.at(placeOnStack()[0], () => run(trace));
}

const operators: Readonly<Record<Exclude<keyof ScalarMethods, "neg">, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  mod: "%",
  and: "&",
  or: "|",
  xor: "^",
  shl: "<<",
  shr: ">>",
  ushr: ">>>",
  eq: "===",
  ne: "!==",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};

for (const [name, op] of Object.entries(operators)) {
  const method = own(function (this: StagedScalar, x: unknown): unknown {
    return atCaller(`.${name}(…)`, () => usable(binary(op, this, x)));
  });
  Object.defineProperty(StagedScalar.prototype, name, { value: method, configurable: true, writable: true });
}
Object.defineProperty(StagedScalar.prototype, "neg", {
  value: own(function (this: StagedScalar): unknown {
    return atCaller(".neg()", () => unary("-", this));
  }),
  configurable: true,
  writable: true,
});

/** To TypeScript a staged scalar is a number; the methods are on its prototype, from above. */
const withMethods = (x: StagedScalar): Scalar => x as unknown as Scalar;

/** The same scalar, with methods: `expr(threadIdx.x).mul(4).add(1)`. A static number becomes staged. */
export const expr: (x: number) => Scalar = own((x: number): Scalar => {
  const value: unknown = usable(x);
  if (isStagedScalar(value)) return withMethods(value);
  return withMethods(atCaller("expr(…)", () => (isLiteral(value) ? wrap(openConstant(value)) : convertTo("i32", value))));
});

/** Marks a kernel body or helper written with these functions instead of operators and statements. */
export function explicit<F extends (...args: never[]) => unknown>(fn: F): F {
  refuseMore(explicit, arguments);
  if (typeof fn !== "function") failHere("W7048", { of: "explicit()", given: display(fn) });
  markExplicit(fn);
  return fn;
}

/** The state that a loop or branch of the explicit form changes, as its one variable. */
function stateVariable<S>(initial: S): { vars: Variables; get(): S; set(value: S): void } {
  let state: unknown = initial;
  return {
    vars: {
      names: ["the state"],
      spans: [undefined],
      get: () => [state],
      set: (values) => {
        [state] = values;
      },
    },
    get: () => state as S,
    set: (value) => {
      state = value;
    },
  };
}

interface ForRangeOptions {
  /** What each iteration adds to the index; negative counts down. Default 1. W2028 where it is 0. */
  step?: number;
}
const forRangeOptions = optionsOf<ForRangeOptions>("forRange()", { step: true });

/**
 * `for (const i of range(start, stop, step))` in the explicit form. `initial` is the state before the loop; `body` gets the index and the
 * state and returns the next one, of the same structure. Gives the last state.
 */
export const forRange: <S>(
  start: number,
  stop: number,
  initial: S,
  body: (i: Scalar, carried: S) => S,
  options?: ForRangeOptions,
) => S = own(
  <S>(start: number, stop: number, initial: S, body: (i: Scalar, carried: S) => S, options: ForRangeOptions = {}): S =>
    atCaller("forRange(…)", (trace) => {
      checkOptionsHere(options, forRangeOptions);
      checkFunction(body, "The body of forRange");
      const state = stateVariable(initial);
      const iteration = (i: unknown): undefined => {
        state.set(body(i as Scalar, state.get()));
      };
      forOf(trace, range(start, stop, options.step ?? 1), iteration, state.vars, []);
      return state.get();
    }),
);

/** `while (condition(carried)) carried = body(carried)` in the explicit form, from `initial`. Gives the last state. */
export const whileLoop: <S>(initial: S, condition: (carried: S) => boolean, body: (carried: S) => S) => S = own(
  <S>(initial: S, condition: (carried: S) => boolean, body: (carried: S) => S): S =>
    atCaller("whileLoop(…)", (trace) => {
      checkFunction(condition, "The condition of whileLoop");
      checkFunction(body, "The body of whileLoop");
      const state = stateVariable(initial);
      const iteration = (): undefined => {
        state.set(body(state.get()));
      };
      whileStatement(trace, {
        test: () => condition(state.get()),
        update: null,
        body: iteration,
        postTest: false,
        labels: [],
        vars: state.vars,
      });
      return state.get();
    }),
);

function whenOf<S>(condition: boolean, yes: () => S, no?: () => S): S | undefined {
  return atCaller("when(…)", (trace) => {
    checkFunction(yes, "What `when` does where its condition is true");
    if (no !== undefined) checkFunction(no, "What `when` does where its condition is false");
    const c = truth(condition);
    if (typeof c === "boolean") return c ? yes() : no?.();
    const state = stateVariable<S | undefined>(undefined);
    const side = (run: (() => S) | undefined) => (): undefined => {
      state.set(run?.());
    };
    branch(trace, c, side(yes), side(no), no ? state.vars : noVariables);
    return no ? state.get() : undefined;
  });
}

interface When {
  <S>(condition: boolean, yes: () => S, no: () => S): S;
  (condition: boolean, yes: () => void): void;
}
/** `if / else` in the explicit form; both sides return the same structure, and without `no` nothing. A static condition runs one side while tracing. */
export const when: When = own(whenOf as When);

/** `condition ? yes : no` in the explicit form; both have been evaluated before. PTX `selp`. */
export const select: <T>(condition: boolean, yes: T, no: T) => T = own(
  <T>(condition: boolean, yes: T, no: T): T =>
    atCaller("select(…)", (trace) => {
      const c = truth(condition);
      return (
        typeof c === "boolean"
          ? c
            ? yes
            : no
          : choose(
              trace,
              c,
              () => yes,
              () => no,
              noVariables,
            )
      ) as T;
    }),
);

const fold = (all: readonly boolean[], join: (a: unknown, b: unknown) => unknown): boolean => {
  const run = (): unknown => all.map((x) => truth(x) as unknown).reduce((a, b) => join(a, b));
  return (activeTrace() ? atCaller("logical", run) : run()) as boolean;
};

/** `&&`, `||` and `!` of the explicit form. All conditions have been evaluated before. */
export const logical = {
  /** Whether all are true; of none, true. */
  and: own((...x: boolean[]): boolean => (x.length === 0 ? true : fold(x, (a, b) => selectValue(a, b, false)))),
  /** Whether one is true; of none, false. */
  or: own((...x: boolean[]): boolean => (x.length === 0 ? false : fold(x, (a, b) => selectValue(a, true, b)))),
  /** Whether it is false. */
  not: own((x: boolean): boolean => (activeTrace() ? (atCaller("logical.not", () => unary("!", x)) as boolean) : !x)),
};
