import { failHere } from "../trace/fail-here.ts";
import { tripleName } from "../trace/staged.ts";

/** What the author calls three numbers, such as `threadIdx`; undefined of anything else. */
export const nameOfTriple = (x: unknown): string | undefined =>
  typeof x === "object" && x !== null && tripleName in x ? String(x[tripleName]) : undefined;

/** Refuses three numbers where one is wanted. W2059. */
export function refuseTriple(x: unknown): void {
  const name = nameOfTriple(x);
  if (name !== undefined) failHere("W2059", { name });
}
