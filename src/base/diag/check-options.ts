import { fail } from "../errors.ts";
import { display } from "./display.ts";
import { meantOption } from "./other-names.ts";
import { noSpans, type Spans } from "./span.ts";

/** The options that a call takes. */
export interface KnownOptions {
  /** The call in the author's words, as a sentence begins with it: "launch()". */
  readonly of: string;
  readonly names: ReadonlySet<string>;
}

/** Each name of an options type, and no other: the type and what is checked cannot drift apart. */
type Names<T> = { readonly [K in keyof T & string]-?: true };

/** The options of that type, of the call `of`. */
export const optionsOf = <T extends object>(of: string, names: Names<T>): KnownOptions => ({
  of,
  names: new Set(Object.keys(names)),
});

/** Where errors stand, and how values are called there. */
interface Reporting {
  spans(): Spans;
  describe(value: unknown): string;
}

const onHost: Reporting = { spans: () => noSpans, describe: display };

/** Whether an object is of no class, in whatever realm it was made. */
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether an object of a class may be meant as options: it has one of them. */
function hasOption(value: object, names: ReadonlySet<string>): boolean {
  for (const name of names) if (name in value) return true;
  return false;
}

/** Refuses what is no object of options, and names that are none of theirs. About 15 ns for what is right. W2601, W2602. */
export function checkOptions(given: unknown, { of, names }: KnownOptions, reporting: Reporting = onHost): void {
  const refuse = (): never => fail("W2602", { of, given: reporting.describe(given), names: [...names] }, reporting.spans());
  if (typeof given !== "object" || given === null) {
    refuse();
    return;
  }
  const plain = isPlain(given);
  if (!plain && !hasOption(given, names)) refuse();
  for (const name in given) {
    if (names.has(name)) continue;
    if (!plain) refuse();
    fail("W2601", { of, name, near: meantOption(name, names), names: [...names] }, reporting.spans());
  }
}
