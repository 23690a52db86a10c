// Parts of a record's entries: how writers put them together, and how readers get typed values out of them.
import type { ByName, Entry, Figure } from "./record.ts";

interface Kinds {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

/** The parameters of an entry that have these types. Throws where one is missing or of another type. */
export function parametersOf<const K extends ByName<keyof Kinds>>(entry: Entry, kinds: K) {
  for (const [name, kind] of Object.entries(kinds))
    if (typeof entry.of[name] !== kind)
      throw new Error(`case “${entry.case}”: of.${name} must be a ${kind}; it is ${JSON.stringify(entry.of[name]) ?? "missing"}`);
  return entry.of as { readonly [N in keyof K]: Kinds[K[N]] };
}

/** A figure that is one number; null where it is not. */
export const numberIn = (figure: Figure | undefined): number | null => (typeof figure === "number" ? figure : null);

/** The numbers among figures by name. */
export function numbersIn(figure: Figure | undefined): ByName<number> {
  if (typeof figure !== "object" || figure === null || Array.isArray(figure)) return {};
  return Object.fromEntries(
    Object.entries(figure).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );
}

/** The peers that have a time. */
export const timesOf = ({ peers }: Entry): ByName<number> => numbersIn(peers);

/** Times of peers, and null for those that were left out. */
export const peersOf = (times: ByName<number>, leftOut: readonly string[]): Entry["peers"] => ({
  ...Object.fromEntries(leftOut.map((name) => [name, null])),
  ...times,
});

/** Fields without those that are undefined or have nothing in them. */
export function given<T extends object>(fields: T): { [N in keyof T]?: Exclude<T[N], undefined> } {
  const isThere = (value: unknown): boolean =>
    value !== undefined && (typeof value !== "object" || value === null || Object.keys(value).length > 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isThere(value))) as {
    [N in keyof T]?: Exclude<T[N], undefined>;
  };
}
