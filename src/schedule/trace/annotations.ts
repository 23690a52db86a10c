/** Notes for passes that come later, as an author gives them. */
import type { Annotations } from "../ir/types.ts";
import { describe, isSymbolic } from "./symbolic.ts";
import { failHere } from "./tracing.ts";

/** What a loop or a block is told for passes that come later, and for the reader. */
export type AnnotationValues = Annotations;

/** What was given as annotations. `what`: which loop or block they belong to, for the error. W5508. */
export function annotationsOf(given: unknown, what: string): Annotations {
  if (given === undefined) return {};
  const plain = typeof given === "object" && given !== null && !Array.isArray(given) && !isSymbolic(given);
  const ok = (x: unknown): boolean =>
    typeof x === "string" || typeof x === "boolean" || (typeof x === "number" && Number.isFinite(x));
  if (plain && Object.values(given).every((x) => ok(x) || (Array.isArray(x) && x.every((n) => typeof n === "number"))))
    return { ...(given as Annotations) };
  return failHere("W5508", {
    what: `what ${what} is told`,
    wanted: "an object of texts, numbers, truth values and lists of numbers",
    got: plain ? "one with something else in it" : describe(given),
    instead: 'write `{ name: "value" }`',
  });
}
