/** What names of families say of registers of a warpgroup. */
import { type Fields, wholeNumber } from "./family.ts";

/** Words as a sentence has them. */
export const list = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** [m, n], or why there are no such registers: PTX ISA 9.7.15.1 "Matrix Shape". */
export function extentsOf({ m, n }: Fields, dtype: string): readonly [number, number] | string {
  const [rows, columns] = [wholeNumber(m), wholeNumber(n)];
  if (rows === undefined || rows % 64 !== 0) return `${m} rows are no multiple of 64`;
  if (columns === undefined || columns % 8 !== 0 || columns > 256) return `${n} columns are no multiple of 8 up to 256`;
  if (dtype === "i32" && columns > 24 && columns % 16 !== 0)
    return `${n} columns are no multiple of 16, which those of i32 are, above 24`;
  return [rows, columns];
}

/** The shapes that there are, for errors. */
export const shapes = "m a multiple of 64, and n one of 8, up to 256 (of i32 one of 16 above 24)";

/** Is the word one of those? */
export const isOneOf = <T extends string>(words: readonly T[], word: string | undefined): word is T =>
  (words as readonly (string | undefined)[]).includes(word);
