/** Calls of any function here: found again, and launched. */

import type { DeviceTensor, LaunchConfig, Stream } from "warpsmith";
import { display } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import { explain } from "./explain.ts";
import { freeze } from "./frozen.ts";
import { type KernelLaunch, none, type Ready, type ReadyKernel } from "./launches.ts";

/** How a function of this family runs. */
export interface RunOptions {
  /** Where it runs. Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** Let it start before the previous kernel of its stream ends, and the next one that asks for it before this one does. */
  readonly overlapPrevious?: boolean;
}

/** W7046. */
export function checkRun(of: string, { overlapPrevious }: RunOptions): void {
  if (overlapPrevious !== undefined && typeof overlapPrevious !== "boolean")
    fail("W7046", { of, option: "overlapPrevious", given: display(overlapPrevious), expected: "true or false" });
}

/** A launch of a call. All have the same fields, so that launching stays fast whatever is launched. */
interface Step {
  readonly kernel: KernelLaunch["kernel"];
  readonly args: readonly unknown[];
  readonly grid: number | undefined;
  /** Whether it is that of the call's own kernel. */
  readonly isMain: boolean;
  /** The options that it last had: options that a kernel knows need no check. */
  config: LaunchConfig | undefined;
}

/** What is launched, in order. */
export class Call<R extends Ready = Ready> {
  readonly ready: R;
  readonly steps: readonly Step[];

  constructor(ready: R) {
    const { before = [], after = [] } = ready;
    this.ready = ready;
    this.steps = [...before, ready, ...after].map((one) => {
      const { kernel, args, grid } = one;
      // A kernel knows a launch again only by arguments that cannot have changed.
      for (const arg of args) freeze(arg);
      return { kernel, args, grid, isMain: one === ready, config: undefined };
    });
  }
}

/** Whether two calls ask for the same, their operands aside. It runs at every call, and allocates nothing. */
export type Same<A> = (before: A, asked: A) => boolean;

interface KnownCall {
  readonly same: unknown;
  readonly asked: unknown;
  readonly call: Call;
}

/** Calls made before, by their operands on the way from the root. They are gone with any of these. */
interface Known {
  readonly next: WeakMap<object, Known>;
  /** Latest first. */
  readonly calls: KnownCall[];
}
const nothingKnown = (): Known => ({ next: new WeakMap(), calls: [] });
const known = nothingKnown();
/** How many are kept of the same operands: those used last. */
const kept = 16;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The call of the same function made before for the same operands. Functions are told apart by their `same`. */
export function recall<A, R extends Ready>(operands: readonly DeviceTensor[], asked: A, same: Same<A>): Call<R> | undefined {
  let at: Known | undefined = known;
  for (let i = 0; i < operands.length && at; i++) {
    const operand = operands[i];
    at = isObject(operand) ? at.next.get(operand) : undefined;
  }
  if (!at) return undefined;
  const { calls } = at;
  for (let i = 0; i < calls.length; i++) {
    const found = calls[i];
    if (!found || found.same !== same || !same(found.asked as A, asked)) continue;
    if (i > 0) calls.unshift(...calls.splice(i, 1));
    return found.call as Call<R>;
  }
  return undefined;
}

/** Keeps a call for the next one that asks for the same. */
export function remember<A>(operands: readonly DeviceTensor[], asked: A, same: Same<A>, call: Call): void {
  let at = known;
  for (const operand of operands) {
    const next = at.next.get(operand) ?? nothingKnown();
    at.next.set(operand, next);
    at = next;
  }
  at.calls.unshift({ same, asked, call });
  at.calls.length = Math.min(at.calls.length, kept);
}

function sameList(before: readonly unknown[], asked: readonly unknown[]): boolean {
  if (before.length !== asked.length) return false;
  for (let i = 0; i < asked.length; i++) if (before[i] !== asked[i]) return false;
  return true;
}

/**
 * The call made before for the same, else a new one, which is kept where its result goes to memory of the author's: memory that is made for one call is asked for once. `asked` has the
 * function, the operands behind the first and the options, in an order of the function's own.
 */
export function readyFor<R extends Ready>(
  first: DeviceTensor,
  asked: readonly unknown[],
  isKept: boolean,
  make: () => R,
): Call<R> {
  const found = recall<readonly unknown[], R>([first], asked, sameList);
  if (found) return found;
  const call = new Call(make());
  if (isKept) remember([first], asked, sameList, call);
  return call;
}

/** What a call would launch, for who looks at it. */
export function describeCall<R extends Ready>({ ready }: Call<R>) {
  const { kernel, args, grid, out, before = none, after = none } = ready;
  return { kernel, args, ...(grid === undefined ? {} : { grid }), out, before, after } as Pick<
    R,
    "kernel" | "args" | "grid" | "out"
  > &
    Pick<ReadyKernel, "before" | "after">;
}

const inOrder = Object.freeze({});
const overlapping = Object.freeze({ overlapPrevious: true });

function configOf(step: Step, stream: Stream | undefined, overlapPrevious: boolean): LaunchConfig {
  const { grid, config: before } = step;
  if (grid === undefined && stream === undefined) return overlapPrevious ? overlapping : inOrder;
  if (before && before.stream === stream && before.overlapPrevious === overlapPrevious) return before;
  const config = { overlapPrevious, ...(grid === undefined ? {} : { grid }), ...(stream === undefined ? {} : { stream }) };
  step.config = Object.freeze(config);
  return config;
}

/**
 * Launches all of it: the first launch as the author asks, each other one lets the one before go on. What was made for it is freed where that fails. `given`: where the author wants the
 * result. `numbers` are those of this call alone: the last arguments of its kernel.
 */
export function launch<R extends Ready>(
  { ready, steps }: Call<R>,
  { stream, overlapPrevious = false }: RunOptions,
  given: DeviceTensor | undefined,
  numbers?: readonly number[],
): R {
  try {
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i] as Step;
      const args = numbers && step.isMain ? step.args.concat(numbers) : step.args;
      step.kernel.launch(configOf(step, stream, overlapPrevious || i > 0), ...args);
    }
  } catch (error) {
    for (const result of ready.made ?? []) result.dispose();
    if (ready.out !== given) ready.out.dispose();
    throw explain(error, ready.calls);
  } finally {
    if (ready.temporaries) for (const tensor of ready.temporaries) tensor.dispose();
  }
  return ready;
}
