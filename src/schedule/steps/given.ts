/** What an author has given to a step: in words, and what is no program. */
import type { Spans } from "../../base/diag/index.ts";
import { fail } from "../errors/index.ts";
import { BlockRef, LoopRef } from "../refs.ts";

export const isRecord = (x: unknown): x is Readonly<Record<string, unknown>> =>
  typeof x === "object" && x !== null && !Array.isArray(x) && !(x instanceof LoopRef) && !(x instanceof BlockRef);

/** What was given, in words. */
export function givenText(x: unknown): string {
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
