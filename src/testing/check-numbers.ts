import { display, fail } from "../diag/index.ts";

/** Refuses what is no list of numbers. `what` begins a sentence. W7901. */
export function checkNumbers(what: string, given: unknown): void {
  const refuse = (shown: string): never => fail("W7901", { what, given: shown, expected: "a list of numbers" });
  const isList = typeof given === "object" && given !== null && "length" in given && typeof given.length === "number";
  if (!isList) refuse(display(given));
  if (ArrayBuffer.isView(given)) return;
  const list = given as ArrayLike<unknown>;
  for (let i = 0; i < list.length; i++) if (typeof list[i] !== "number") refuse(`a list with ${display(list[i])} at ${i}`);
}
