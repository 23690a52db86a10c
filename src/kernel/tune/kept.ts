/** Choices that earlier searches have made, on disk. */
import { cacheKey } from "../../base/disk-cache.ts";
import { readChoice, writeChoice } from "../../base/tuned-choices.ts";

export { choiceKey } from "../../base/tuned-choices.ts";

/** A choice: which configuration, what its kernel was, and how long it took in microseconds. */
export interface KeptChoice {
  readonly index: number;
  /** The digest of its PTX: another compiler makes another kernel, and the choice is made again. */
  readonly ptx: string;
  readonly time: number;
}

export const digestOf = (text: string): string => cacheKey([text]);

export function keptChoice(key: string): KeptChoice | undefined {
  const found = readChoice(key);
  if (typeof found !== "object" || found === null) return undefined;
  const { index, ptx, time } = found as Partial<Record<keyof KeptChoice, unknown>>;
  return typeof index === "number" && typeof ptx === "string" && typeof time === "number" ? { index, ptx, time } : undefined;
}

export const keepChoice = (key: string, choice: KeptChoice): void => writeChoice(key, choice);
