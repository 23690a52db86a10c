/** The CPU time of each test file as it was at the last release, in test/recorded/times.json: `npm run test:times -- --record` writes it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Extent } from "./amount.ts";

/** Milliseconds by the path of a file from the project's root. */
export type Times = Readonly<Record<string, number>>;

const recordFile = join(import.meta.dirname, "../recorded/times.json");
const read = (): Partial<Record<Extent, Times>> =>
  existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, "utf8")) as Partial<Record<Extent, Times>>) : {};

/** Of runs of that extent. */
export const recordedTimes = (extent: Extent): Times => read()[extent] ?? {};

export function recordTimes(extent: Extent, times: Times): void {
  const sorted = Object.fromEntries(
    Object.keys(times)
      .sort()
      .map((file) => [file, Math.round(times[file] ?? 0)]),
  );
  writeFileSync(recordFile, `${JSON.stringify({ ...read(), [extent]: sorted }, null, 1)}\n`);
}
