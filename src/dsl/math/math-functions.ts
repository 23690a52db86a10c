import { failHere } from "../fail-here.ts";
import { isStaged } from "../numbers/lift.ts";

type Impl = (...args: unknown[]) => unknown;

/** What each function of `Math` is on the GPU. */
export const mathFunctions: ReadonlyMap<unknown, Impl> = new Map<unknown, Impl>();

/** Calls a function of `Math`: JavaScript's own on static values. */
export function callMath(f: (...args: unknown[]) => unknown, args: readonly unknown[]): unknown {
  if (!args.some((x) => isStaged(x))) return f(...args);
  const impl = mathFunctions.get(f);
  return impl ? impl(...args) : failHere("W2038", { name: f.name, near: "Math.sqrt" });
}
