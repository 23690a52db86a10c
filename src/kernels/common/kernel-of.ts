import { display, refuseMore } from "../../base/diag/index.ts";
import { fail } from "../errors.ts";
import type { ReadyKernel } from "./launches.ts";
import { type Call, describeCall } from "./ready.ts";

// biome-ignore lint/suspicious/noExplicitAny: functions have different parameters
type Prepare = (...args: any[]) => Call;

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
  refuseMore(kernelOf, arguments);
  const prepare = typeof fn === "function" ? preparations.get(fn) : undefined;
  if (!prepare)
    return fail("W7616", {
      ...{ name: "The function", of: "kernelOf()", given: display(fn) },
      expected: "a function over rows or elements of warpsmith/kernels",
    });
  return describeCall(prepare(...args));
}
