/** What a GPU left in the results that must agree in every bit, as digests: for comparisons where there is no GPU. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ForeignCase } from "./cases.ts";
import { declared } from "./compare-bytes.ts";

/** What made the PTX and ran it. */
export interface Made {
  readonly nvcc: string;
  /** Name and driver. */
  readonly gpu: string;
}

export interface Recorded extends Made {
  /** SHA-256 by case and result. */
  readonly cases: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const file = join(import.meta.dirname, "recorded.json");

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The results of a case that are compared by their bits. */
const exact = (c: ForeignCase): readonly string[] =>
  declared(c).flatMap(({ name, out }) => (out && c.allowances?.[name] === undefined ? [name] : []));

export const readRecorded = (): Recorded | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recorded) : undefined;

/** Writes down what the GPU left in the cases of `out` whose PTX comes from this folder. */
export function record(out: string, cases: readonly ForeignCase[]): number {
  const made = JSON.parse(readFileSync(join(out, "made.json"), "utf8")) as Made;
  const entries = cases.flatMap((c) => {
    const bytesOf = (name: string): string => join(out, c.name, "cuda", `${name}.bin`);
    const names = exact(c).filter((name) => existsSync(bytesOf(name)));
    return names.length === 0
      ? []
      : [[c.name, Object.fromEntries(names.map((n) => [n, digest(readFileSync(bytesOf(n)))]))] as const];
  });
  writeFileSync(file, `${JSON.stringify({ ...made, cases: Object.fromEntries(entries) } satisfies Recorded, null, 2)}\n`);
  return entries.length;
}

/** The results of a case that differ from what was recorded; undefined where nothing was. */
export function differing(recorded: Recorded | undefined, c: ForeignCase, folder: string): readonly string[] | undefined {
  const known = recorded?.cases[c.name];
  return known && Object.keys(known).filter((name) => digest(readFileSync(join(folder, `${name}.bin`))) !== known[name]);
}
