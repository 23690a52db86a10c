import { type Span, textAt } from "../../base/diag/index.ts";
import { describe } from "../numbers/describe.ts";
import { nameOfTriple } from "../numbers/triple.ts";
import { isOnGpu } from "../numbers/unusable.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { isOwnObject, isToCall } from "../trace/staged.ts";

const makers = new WeakMap<object, Span>();

/** Notes which expression has made an object: an element or a method of an object of the language, or `new`. Gives the object. */
export function noteMade<T>(made: T, maker: Span | undefined): T {
  if (maker && isOwnObject(made) && !isOnGpu(made)) makers.set(made, maker);
  return made;
}

/** W2058 where what decides is an object that the expression at `maker` has made, or at "always" any object of the language. */
export function refuseObject(x: unknown, maker: Span | "always" | undefined): void {
  if (isToCall(x)) failNotCalled(x);
  if (!isOwnObject(x) || isOnGpu(x) || !(maker === "always" || (maker && makers.get(x) === maker))) return;
  const [here] = spansHere();
  failHere("W2058", { text: here && textAt(here), what: describe(x), element: elementOf(x) });
}

/** W2080 where a function of the language stands in place of what it gives. `text`: how the author writes it, where that is not all that stands here. */
function failNotCalled(f: unknown, text = written()): never {
  return failHere("W2080", { text: text ?? (f as { readonly name: string }).name });
}

const written = (): string | undefined => {
  const [here] = spansHere();
  return here && textAt(here);
};

/** What is written after the object for the number that it leads to. */
function elementOf(x: object): string | undefined {
  if (nameOfTriple(x) !== undefined) return ".x";
  if ("memory" in x && "rank" in x && typeof x.rank === "number") return "[i]".repeat(x.rank);
  return "space" in x && "load" in x ? ".load()" : undefined;
}
