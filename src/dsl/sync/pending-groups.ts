import { failHere } from "../trace/fail-here.ts";

/** A count of groups that may stay unfinished. W4510. */
export function readPending(pending: unknown, what: string): number {
  if (typeof pending === "number" && Number.isSafeInteger(pending) && pending >= 0) return pending;
  return failHere("W4510", { what, given: typeof pending === "number" ? String(pending) : "a value on the GPU" });
}
