/** The kinds of arguments that steps take: what an author gives, and what the step works with. */
import { blockTags, threadTags } from "../facts/launch.ts";
import { type Annotations, type Buffer, type Scope, scopes, type ThreadTag, type Var } from "../ir/types.ts";
import type { Step } from "../primitives/find.ts";
import type { PipelineOptions } from "../primitives/pipeline.ts";
import type { WarpSpecializeOptions } from "../primitives/warp-specialize.ts";
import { BlockRef, LoopRef, type Refs } from "../refs.ts";
import { isRecord } from "./given.ts";

/** A kind of argument. `Given`: what an author gives. `Taken`: what the step gets for it: for a loop its variable, for a block its name. */
export interface Kind<Given, Taken = Given> {
  /** What it is called in errors. */
  readonly what: string;
  /** What to do where something else is given. */
  readonly fix?: string;
  readonly is: (given: unknown) => boolean;
  /** What the step gets. Asked of what `is` holds for. */
  readonly take: (given: unknown, refs: Refs, step: Step) => Taken;
  /** Whether it may be left out. */
  readonly optional?: true;
  /** Holds the type. */
  readonly given?: Given;
}

/** What the step gets as it is given. The predicate is what types rest on. */
const plain = <T>(what: string, is: (given: unknown) => given is T, fix: string): Kind<T> => ({
  what,
  fix,
  is,
  // `is` has been asked before.
  take: (given) => given as T,
});

const isNumber = (x: unknown): x is number => typeof x === "number";
const isText = (x: unknown): x is string => typeof x === "string";
const isListOf = (x: unknown, is: (each: unknown) => boolean): boolean => Array.isArray(x) && x.every(is);
const oneOf = <T extends string>(what: string, all: readonly T[]): Kind<T> =>
  plain(
    what,
    (x): x is T => isText(x) && (all as readonly string[]).includes(x),
    `give one of ${all.map((x) => `"${x}"`).join(", ")}`,
  );

export const loop: Kind<LoopRef, Var> = {
  what: "a loop",
  is: (x) => x instanceof LoopRef,
  take: (x, refs, step) => refs.own(x as LoopRef, step).variable,
};
export const block: Kind<BlockRef, string> = {
  what: "a block",
  is: (x) => x instanceof BlockRef,
  take: (x, refs, step) => refs.own(x as BlockRef, step).name,
};
const either = <A, B, C, D>(what: string, a: Kind<A, B>, b: Kind<C, D>): Kind<A | C, B | D> => ({
  what,
  is: (x) => a.is(x) || b.is(x),
  take: (x, refs, step) => (a.is(x) ? a : b).take(x, refs, step),
});
export const optional = <Given, Taken>(kind: Kind<Given, Taken>): Kind<Given | undefined, Taken | undefined> => ({
  ...kind,
  is: (x) => x === undefined || kind.is(x),
  take: (x, refs, step) => (x === undefined ? undefined : kind.take(x, refs, step)),
  optional: true,
});

export const number: Kind<number> = plain("a number", isNumber, "give a number");
export const name: Kind<string> = plain("a name", isText, "give a name as the printed program has it, in quotes");
/** Which of them there are is checked by the step. */
export const swizzle: Kind<NonNullable<Buffer["swizzle"]>> = plain(
  name.what,
  (x): x is NonNullable<Buffer["swizzle"]> => isText(x),
  "give a name as the printed program has it, in quotes",
);
export const loopOrBlock = either("a loop or a block", loop, block);
export const loopOrNumber = either("a loop or a number", loop, number);
export const buffer: Kind<string | number> = plain(
  "a buffer's name or number",
  (x): x is string | number => isText(x) || isNumber(x),
  "give the buffer's name in quotes, or its number among those that the block reads or writes",
);
export const scope: Kind<Scope> = oneOf("a scope", scopes);
export const thread: Kind<ThreadTag> = oneOf("an index of threads or blocks", [...blockTags, ...threadTags]);
export const factors: Kind<readonly (number | null)[]> = plain(
  "a list of numbers, or null for what the others leave",
  (x): x is readonly (number | null)[] => isListOf(x, (each) => each === null || isNumber(each)),
  "give a list, such as `[null, 16]`",
);
export const numbers: Kind<readonly number[]> = plain(
  "a list of numbers",
  (x): x is readonly number[] => isListOf(x, isNumber),
  "give a list, such as `[16, 16, 16]`",
);
export const annotations: Kind<Annotations> = plain(
  "annotations",
  (x): x is Annotations => isRecord(x),
  "give an object, such as `{ async: true }`",
);
/** Numbers among the options are checked by the step. */
export const specialization: Kind<WarpSpecializeOptions> = plain(
  "options",
  (x): x is WarpSpecializeOptions => isRecord(x),
  "give an object, such as `{ stages: 4 }`",
);
export const overlap: Kind<PipelineOptions> = plain(
  "options with a stage for each statement of the loop",
  (x): x is PipelineOptions =>
    isRecord(x) && isListOf(x.stages, isNumber) && (x.order === undefined || isListOf(x.order, isNumber)),
  "give lists of numbers, one for each statement, such as `{ stages: [0, 0, 2] }`",
);
