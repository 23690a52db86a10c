import { display, fail } from "../diag/index.ts";

/**
 * The numbers of a list, for loops that read them again and again; refuses what is none. `what` begins a sentence. W7901. Typed arrays
 * are given back as they are. Of any other list each element is read once, into a new one: where the engine has no `Float16Array`,
 * each read of one goes through a proxy.
 */
export function numbersOf(what: string, given: unknown): ArrayLike<number> {
  const refuse = (shown: string): never => fail("W7901", { what, given: shown, expected: "a list of numbers" });
  const isList = typeof given === "object" && given !== null && "length" in given && typeof given.length === "number";
  if (!isList) refuse(display(given));
  if (ArrayBuffer.isView(given)) return given as unknown as ArrayLike<number>;
  const list = given as ArrayLike<unknown>;
  const numbers: number[] = [];
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value === "number") numbers.push(value);
    else refuse(`a list with ${display(value)} at ${i}`);
  }
  return numbers;
}
