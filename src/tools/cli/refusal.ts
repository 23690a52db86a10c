/** What is wrong with a command line, as a clause. Exit status 2. */
export class Refusal extends Error {}

/** Files and words of a command line as they are given to what takes them. */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const n = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(n) || n < least || n > most)
    throw new Refusal(`--${option} takes a whole number from ${least} to ${most}, not ${text}`);
  return n;
}
