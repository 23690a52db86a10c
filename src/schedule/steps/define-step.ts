/** How a step of a schedule is declared: the arguments that it takes, and what it makes of a program. */
import { fail } from "../errors/index.ts";
import type { Program, Var } from "../ir/types.ts";
import type { Step } from "../primitives/find.ts";
import type { Refs } from "../refs.ts";
import { givenText } from "./given.ts";
import type { Kind } from "./kinds.ts";

/** What a step gives: the program after it, and the loops and blocks that the author goes on with. */
export interface StepResult {
  readonly program: Program;
  readonly loops?: readonly Var[];
  readonly blocks?: readonly string[];
}

/** A step, for arguments of these types. */
export interface DefinedStep<Given extends readonly unknown[] = readonly unknown[]> {
  /** Applies it: refuses arguments that it does not take (W5521), then what the program forbids. */
  readonly apply: (program: Program, args: readonly unknown[], refs: Refs, step: Step) => StepResult;
  /** Holds the types of the arguments. */
  readonly given?: Given;
}

type Kinds = readonly Kind<unknown, unknown>[];
type Given<K extends Kinds> = { readonly [I in keyof K]: K[I] extends Kind<infer G, unknown> ? G : never };
type Taken<K extends Kinds> = { readonly [I in keyof K]: K[I] extends Kind<unknown, infer T> ? T : never };

const ordinals = ["first", "second", "third", "fourth"] as const;

/** Refuses an argument that is not of that kind, at the author's line. W5521. */
function check(kind: Kind<unknown, unknown>, given: unknown, n: number, { name, at }: Step): void {
  if (kind.is(given)) return;
  const what = `${kind.what} as its ${ordinals[n] ?? `${n + 1}th`} argument`;
  fail("W5521", { step: name, what, given: givenText(given), fix: kind.fix }, at);
}

/** Declares a step that takes an argument of each kind, in this order. */
export function defineStep<const K extends Kinds>(
  kinds: K,
  apply: (program: Program, args: Taken<K>, step: Step) => StepResult,
): DefinedStep<Given<K>> {
  return {
    apply: (program, args, refs, step) => {
      for (const [n, kind] of kinds.entries()) check(kind, args[n], n, step);
      // Of a tuple `map` gives an array.
      const taken = kinds.map((kind, n) => kind.take(args[n], refs, step)) as unknown as Taken<K>;
      return apply(program, taken, step);
    },
  };
}

/** Declares a step that takes any number of arguments of one kind. */
export function defineStepOfMany<G, T>(
  kind: Kind<G, T>,
  apply: (program: Program, args: readonly T[], step: Step) => StepResult,
): DefinedStep<readonly G[]> {
  return {
    apply: (program, args, refs, step) => {
      for (const [n, given] of args.entries()) check(kind, given, n, step);
      const taken = args.map((given) => kind.take(given, refs, step));
      return apply(program, taken, step);
    },
  };
}
