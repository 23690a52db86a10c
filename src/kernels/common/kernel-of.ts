import type { DeviceTensor, Kernel } from "warpsmith";
import { display, fail } from "../../diag/index.ts";
import type { Ready } from "./ready.ts";

/** What a function of this package would launch. */
export interface ReadyKernel {
  /** The kernel: `compile`, `bench` or `launch` it with `args`. */
  // biome-ignore lint/suspicious/noExplicitAny: kernels of different functions have different parameters
  readonly kernel: Kernel<any[]>;
  /** Its arguments. */
  readonly args: readonly unknown[];
  /** Where the result goes: what the options name, or new memory that is the caller's to dispose of. */
  readonly out: DeviceTensor;
}

// biome-ignore lint/suspicious/noExplicitAny: functions have different parameters
type Prepare = (...args: any[]) => Ready;

const preparations = new WeakMap<object, Prepare>();

/** Says how what a function launches is made ready. */
export function prepares(fn: object, prepare: Prepare): void {
  preparations.set(fn, prepare);
}

/**
 * The kernel and the arguments that a function over rows or elements would launch with these arguments, to compile, look at or measure it:
 * `kernelOf(softmax, x).kernel`. Refuses what the function refuses, and W7616.
 */
export function kernelOf<A extends readonly unknown[]>(fn: (...args: A) => unknown, ...args: A): ReadyKernel {
  const prepare = typeof fn === "function" ? preparations.get(fn) : undefined;
  if (!prepare)
    return fail("W7616", {
      ...{ name: "The function", of: "kernelOf()", given: display(fn) },
      expected: "a function over rows or elements of warpsmith/kernels",
    });
  const { kernel, args: given, out } = prepare(...args);
  return { kernel, args: given, out };
}
