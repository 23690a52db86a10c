import { checkOptions, type KnownOptions } from "../../base/diag/index.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { hasStructure, isOwnObject, isPlaceOfElement, structure } from "../trace/staged.ts";
import { isLiteral } from "./literals.ts";
import { aType, literalText } from "./names.ts";
import { isOpen } from "./open-types.ts";
import { nameOfTriple } from "./triple.ts";

/** The value in the author's words. */
export function describe(x: unknown): string {
  if (isStagedScalar(x)) return isOpen(x.value) ? "a number" : aType(x.type);
  if (isLiteral(x)) return `\`${literalText(x)}\``;
  if (typeof x === "string") return `the text ${JSON.stringify(x)}`;
  if (typeof x === "function") return x.name ? `the function \`${x.name}\`` : "a function";
  if (x === null || x === undefined) return `\`${x}\``;
  if (Array.isArray(x)) return "an array";
  if (isPlaceOfElement(x)) return "the place of an element";
  if (hasStructure(x)) return x[structure].describe;
  const triple = nameOfTriple(x);
  if (triple !== undefined) return `the three numbers \`${triple}\``;
  const name = (Object.getPrototypeOf(x) as { constructor?: { name?: string } } | null)?.constructor?.name;
  if (name === undefined || name === "Object") return "an object";
  const words =
    isOwnObject(x) && /^[A-Z][a-z]/.test(name)
      ? name
          .replace(/(?=[A-Z])/g, " ")
          .trim()
          .toLowerCase()
      : name;
  return `${/^[aeiou]/i.test(words) ? "an" : "a"} ${words}`;
}

const here = { spans: spansHere, describe };

/** Refuses, where the author's text stands now, what is no object of those options. W2601, W2602. */
export const checkOptionsHere = (given: unknown, known: KnownOptions): void => checkOptions(given, known, here);

/** Refuses what is no list of extents. `what` begins a sentence: "The shape of tile.full". W2010. */
export function checkShape(shape: unknown, what: string): asserts shape is readonly unknown[] {
  if (!Array.isArray(shape))
    failHere("W2010", { what, wanted: "a list of extents", got: describe(shape), fix: "write it as a list, such as `[64, 64]`" });
}

/** Refuses what is no function. `what` begins a sentence. W2010. */
export function checkFunction(f: unknown, what: string): void {
  if (typeof f !== "function")
    failHere("W2010", { what, wanted: "a function", got: describe(f), fix: "write it as a function, such as `() => { … }`" });
}

/** Refuses the place of an element where what is there is meant to be printed. W2010. */
export function refusePlace(x: unknown, what: string): void {
  if (isPlaceOfElement(x))
    failHere("W2010", { what, wanted: "a value", got: describe(x), fix: "print the element itself, `x.at(i).value`" });
}

/** An option that is true or false while the kernel is compiled; `usual` where it is left out. W2010. */
export function readFlag(given: unknown, what: string, usual: boolean): boolean {
  if (given === undefined) return usual;
  if (typeof given === "boolean") return given;
  const [wanted, fix] = ["true or false, known while the kernel is compiled", "give true or false"];
  return failHere("W2010", { what, wanted, got: describe(given), fix });
}
