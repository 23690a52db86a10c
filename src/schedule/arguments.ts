/** What each step of a schedule takes, as the author gives it: checked in one place, before the step looks at the program. */

import type { Spans } from "../base/diag/index.ts";
import { fail } from "./errors/index.ts";
import { blockTags, threadTags } from "./facts/launch.ts";
import { scopes } from "./ir/types.ts";
import type { Step } from "./primitives/find.ts";
import type { StepName } from "./primitives/steps.ts";
import { BlockRef, LoopRef } from "./refs.ts";

/** A kind of argument: what it is called in errors, what is one, and what to do where it is none. */
interface Kind {
  readonly what: string;
  readonly is: (given: unknown) => boolean;
  readonly fix?: string;
}

const isNumber = (x: unknown): boolean => typeof x === "number";
const isListOf = (x: unknown, is: (each: unknown) => boolean): boolean => Array.isArray(x) && x.every(is);
const isRecord = (x: unknown): x is Readonly<Record<string, unknown>> =>
  typeof x === "object" && x !== null && !Array.isArray(x) && !(x instanceof LoopRef) && !(x instanceof BlockRef);
const oneOf = (what: string, all: readonly string[]): Kind => ({
  what,
  is: (x) => typeof x === "string" && all.includes(x),
  fix: `give one of ${all.map((x) => `"${x}"`).join(", ")}`,
});

const loop: Kind = { what: "a loop", is: (x) => x instanceof LoopRef };
const block: Kind = { what: "a block", is: (x) => x instanceof BlockRef };
const loopOrBlock: Kind = { what: "a loop or a block", is: (x) => x instanceof LoopRef || x instanceof BlockRef };
const loopOrNumber: Kind = { what: "a loop or a number", is: (x) => x instanceof LoopRef || isNumber(x) };
const number: Kind = { what: "a number", is: isNumber, fix: "give a number" };
const name: Kind = {
  what: "a name",
  is: (x) => typeof x === "string",
  fix: "give a name as the printed program has it, in quotes",
};
const buffer: Kind = {
  what: "a buffer's name or number",
  is: (x) => typeof x === "string" || isNumber(x),
  fix: "give the buffer's name in quotes, or its number among those that the block reads or writes",
};
const scope = oneOf("a scope", scopes);
const thread = oneOf("an index of threads or blocks", [...blockTags, ...threadTags]);
const factors: Kind = {
  what: "a list of numbers, or null for what the others leave",
  is: (x) => isListOf(x, (each) => each === null || isNumber(each)),
  fix: "give a list, such as `[null, 16]`",
};
const numbers: Kind = { what: "a list of numbers", is: (x) => isListOf(x, isNumber), fix: "give a list, such as `[16, 16, 16]`" };
const annotations: Kind = { what: "annotations", is: isRecord, fix: "give an object, such as `{ async: true }`" };
const options: Kind = { what: "options", is: isRecord, fix: "give an object, such as `{ stages: 4 }`" };
const overlap: Kind = {
  what: "options with a stage for each statement of the loop",
  is: (x) => isRecord(x) && isListOf(x.stages, isNumber) && (x.order === undefined || isListOf(x.order, isNumber)),
  fix: "give lists of numbers, one for each statement, such as `{ stages: [0, 0, 2] }`",
};

/** The arguments of each step, in order; `more`: as many of that kind as there are. */
const takes: Readonly<Record<StepName, readonly Kind[] | { readonly more: Kind }>> = {
  getBlock: [name],
  getLoops: [block],
  split: [loop, factors],
  fuse: { more: loop },
  reorder: { more: loop },
  bind: [loop, thread],
  vectorize: [loop],
  unroll: [loop],
  dropLoop: [loop],
  annotate: [loopOrBlock, annotations],
  getBlocks: [],
  getProducers: [block],
  getConsumers: [block],
  getChildBlocks: [loopOrBlock],
  cacheRead: [block, buffer, scope],
  cacheWrite: [block, buffer, scope, loop],
  computeAt: [block, loop],
  reverseComputeAt: [block, loop],
  blockize: [loop],
  tensorize: [loopOrBlock, name],
  decomposeReduction: [block, loop],
  computeInline: [block],
  reverseComputeInline: [block],
  rfactor: [loop, number],
  pad: [block, numbers],
  storageAlign: [name, number],
  storageSwizzle: [name, name],
  setScope: [name, scope],
  packShared: [],
  multiBuffer: [name, loop, number],
  loopPartition: [loop, factors],
  peel: [loop, number, number],
  pipeline: [loop, overlap],
  warpSpecialize: [loop, options],
  persist: [loop, number],
  swizzleBlocks: [loop, loopOrNumber, number],
};
/** Arguments that may be left out, counted from the end. */
const optional: Partial<Record<StepName, number>> = { cacheWrite: 1 };

/** What was given, in words. */
function givenText(x: unknown): string {
  if (x instanceof LoopRef) return `the loop '${x.name}'`;
  if (x instanceof BlockRef) return `the block '${x.name}'`;
  if (Array.isArray(x))
    return x.length === 0 ? "an empty list" : `a list of ${givenText(x[0])}${x.length > 1 ? " and others" : ""}`;
  if (typeof x === "function") return "a function";
  if (isRecord(x)) {
    const fields = Object.entries(x).map(([key, value]) => `${key}: ${typeof value === "object" ? "…" : String(value)}`);
    return fields.length <= 3 ? `{ ${fields.join(", ")} }` : "an object";
  }
  return typeof x === "string" ? JSON.stringify(x) : String(x);
}

const ordinals = ["first", "second", "third", "fourth"] as const;

/** Refuses arguments that are not what the step takes, at the author's line. W5521. */
export function checkArguments(step: StepName, args: readonly unknown[], { name: called, at }: Step): void {
  const kinds = takes[step];
  const wanted = "more" in kinds ? args.map(() => kinds.more) : kinds;
  const left = args.length >= wanted.length - (optional[step] ?? 0) ? args.length : wanted.length;
  for (const [n, kind] of wanted.slice(0, left).entries())
    if (!kind.is(args[n]))
      fail(
        "W5521",
        {
          step: called,
          what: `${kind.what} as its ${ordinals[n] ?? `${n + 1}th`} argument`,
          given: givenText(args[n]),
          fix: kind.fix,
        },
        at,
      );
}

/** Refuses what is no program. W5521. */
export function checkIsProgram(given: unknown, at: () => Spans): void {
  const isProgram = isRecord(given) && Array.isArray(given.params) && Array.isArray(given.buffers) && isRecord(given.body);
  if (!isProgram)
    fail(
      "W5521",
      {
        step: "new Schedule(…)",
        what: "a program",
        given: givenText(given),
        fix: "make one of the function: `program({ X: [64] }, function …)`",
      },
      at(),
    );
}
