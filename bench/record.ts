// The one schema of the records under bench/results, its reader and its writer. method.md has it as a table.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export type ByName<T> = Readonly<Record<string, T>>;

/** A number, several that belong together, or numbers by name. Null: it was looked for, and there is none. */
export type Figure = number | null | readonly number[] | Figures;
export interface Figures {
  readonly [name: string]: Figure;
}

/** Of a problem, or of what was chosen for it. */
export type Parameter = string | number | boolean | readonly number[];

/** The 10th and the 90th of 100 samples in microseconds, and how many samples there were. */
export type Spread = readonly [p10: number, p90: number, samples?: number];

/** What a check of one contender found: errors by name. */
export interface EntryCheck {
  readonly pass: boolean;
  readonly [figure: string]: Figure | boolean;
}

/** One case. */
export interface Entry {
  readonly group: string;
  /** Its name. No two entries of a record have the same group, case and parameters. */
  readonly case: string;
  readonly of: ByName<Parameter>;
  /** Median microseconds of what the case names; null where it was not timed, or where times are figures in another unit. */
  readonly us: number | null;
  /** Median microseconds by name, of the same run; null where `skipped` has the reason. */
  readonly peers: ByName<number | null>;
  /** Whether the result was right; null where nothing was compared, or where the record does not say. */
  readonly correct: boolean | null;
  /** By contender. */
  readonly spread?: ByName<Spread>;
  readonly checks?: ByName<EntryCheck>;
  readonly figures?: Figures;
  readonly notes?: ByName<string>;
  /** Reasons, by contender. */
  readonly skipped?: ByName<string>;
  /** What held the clock down, by contender. */
  readonly limits?: ByName<readonly string[]>;
  /** Where it is of another run than the record. */
  readonly date?: string;
}

/** What holds for all entries. */
export interface Head {
  /** The GPU, or the CPU of what runs without one. */
  readonly card: string;
  readonly driver: string | null;
  readonly date: string | null;
  /** See `treeOf`. */
  readonly commit: string | null;
  /** The method, a sentence each. */
  readonly how: readonly string[];
  /** What results were compared with, and within what; null where nothing was, or where it was not written down. */
  readonly checked: string | null;
  readonly versions: ByName<string>;
  readonly figures: Figures;
}

export interface BenchRecord extends Head {
  readonly entries: readonly Entry[];
}

/** Throws where a value is not as the schema has it. */
type Rule = (value: unknown, at: string) => void;

function refuse(at: string, wanted: string, value: unknown): never {
  const shown = value === undefined ? "missing" : `${JSON.stringify(value) ?? String(value)}`;
  throw new Error(
    `${at === "" ? "the record" : at} must be ${wanted}; it is ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`,
  );
}

const rule =
  (wanted: string, holds: (value: unknown) => boolean): Rule =>
  (value, at) => {
    if (!holds(value)) refuse(at, wanted, value);
  };
const inside = (at: string, name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `${at}${at === "" ? "" : "."}${name}` : `${at}[${JSON.stringify(name)}]`;
const isObject = (value: unknown): value is ByName<unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const word = rule("a string that is not empty", (value) => typeof value === "string" && value !== "");
const flag = rule("true or false", (value) => typeof value === "boolean");
const time = rule("a number of microseconds above 0", (value) => isNumber(value) && value > 0);
const day = rule(
  "a date such as 2026-01-31, or a moment such as 2026-01-31T12:00:00.000Z",
  (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value),
);
const spread = rule("[10th, 90th, samples], in this order", (value) => {
  if (!Array.isArray(value) || !value.every(isNumber) || value.length > 3) return false;
  const [p10 = Number.NaN, p90 = Number.NaN] = value;
  return p10 <= p90;
});
const parameter = rule(
  "a string, a number, true, false or a list of numbers",
  (value) =>
    typeof value === "string" || typeof value === "boolean" || isNumber(value) || (Array.isArray(value) && value.every(isNumber)),
);

const orNull =
  (other: Rule): Rule =>
  (value, at) => {
    if (value !== null) other(value, at);
  };
const listOf =
  (each: Rule): Rule =>
  (value, at) => {
    if (!Array.isArray(value)) refuse(at, "a list", value);
    for (const [i, one] of value.entries()) each(one, `${at}[${i}]`);
  };
const byName =
  (each: Rule): Rule =>
  (value, at) => {
    if (!isObject(value)) refuse(at, "an object", value);
    for (const [name, one] of Object.entries(value)) each(one, inside(at, name));
  };
const fields =
  (required: ByName<Rule>, optional: ByName<Rule>): Rule =>
  (value, at) => {
    if (!isObject(value)) refuse(at, "an object", value);
    for (const [name, each] of Object.entries(required)) each(value[name], inside(at, name));
    for (const [name, one] of Object.entries(value)) {
      if (name in required) continue;
      const each = optional[name];
      if (!each)
        throw new Error(
          `${inside(at, name)} is no field of the schema: ${[...Object.keys(required), ...Object.keys(optional)].join(", ")}`,
        );
      each(one, inside(at, name));
    }
  };

const figure: Rule = (value, at) => {
  if (value === null || isNumber(value) || (Array.isArray(value) && value.every(isNumber))) return;
  if (!isObject(value)) refuse(at, "a number, null, a list of numbers or an object of these", value);
  figures(value, at);
};
const figures = byName(figure);
const check: Rule = (value, at) => {
  if (!isObject(value)) refuse(at, "an object", value);
  const { pass, ...errors } = value;
  flag(pass, inside(at, "pass"));
  figures(errors, at);
};

const fieldsOfEntry = fields(
  { group: word, case: word, of: byName(parameter), us: orNull(time), peers: byName(orNull(time)), correct: orNull(flag) },
  {
    ...{ spread: byName(spread), checks: byName(check), figures, notes: byName(word), skipped: byName(word) },
    ...{ limits: byName(listOf(word)), date: day },
  },
);
const entry: Rule = (value, at) => {
  fieldsOfEntry(value, at);
  const { peers, skipped = {} } = value as Entry;
  for (const [name, us] of Object.entries(peers))
    if (us === null && skipped[name] === undefined)
      refuse(inside(inside(at, "skipped"), name), "the reason why the peer has no time", undefined);
};
const whole = fields(
  {
    ...{ card: word, driver: orNull(word), date: orNull(day), commit: orNull(word), how: listOf(word), checked: orNull(word) },
    ...{ versions: byName(word), figures, entries: listOf(entry) },
  },
  {},
);

/** The value as a record. Throws with the file, the place in it and what is wrong there. */
export function recordFrom(value: unknown, file: string): BenchRecord {
  try {
    whole(value, "");
    const record = value as BenchRecord;
    const seen = new Map<string, number>();
    for (const [i, { group, case: name, of }] of record.entries.entries()) {
      const key = JSON.stringify([group, name, of]);
      const first = seen.get(key);
      if (first !== undefined) throw new Error(`entries[${i}] has the group, the case and the parameters of entries[${first}]`);
      seen.set(key, i);
    }
    if (record.how.length === 0) refuse("how", "a list of at least one sentence", record.how);
    return record;
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Reads a file and checks it. */
export function readRecord(file: string): BenchRecord {
  const text = readFileSync(file, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  return recordFrom(value, file);
}

/** A record as text, with a line for each entry. */
export function recordText({ entries, ...head }: BenchRecord): string {
  const above = JSON.stringify({ ...head, entries: [] }, null, 1).replace(/"entries": \[\]\n\}$/, '"entries": [');
  return `${above}\n${entries.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n ]\n}\n`;
}

/** Writes a record. It is checked once it is there, so that no measurement is lost to the schema. */
export function writeRecord(file: string, record: BenchRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, recordText(record));
  readRecord(file);
}
