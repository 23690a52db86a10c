/** The time of each test file as it was at the last release, in test/recorded/times.json: `npm run test:times -- --record` writes it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Extent } from "./amount.ts";

/** Milliseconds: of CPU in its own process, and by the clock, in which other processes may work for it. */
export interface Time {
  readonly cpu: number;
  readonly clock: number;
}

/** By the path of a file from the project's root. */
export type Times = Readonly<Record<string, Time>>;

const recordFile = join(import.meta.dirname, "../recorded/times.json");
const read = (): Partial<Record<Extent, Times>> =>
  existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, "utf8")) as Partial<Record<Extent, Times>>) : {};

/** Of runs of that extent. */
export const recordedTimes = (extent: Extent): Times => read()[extent] ?? {};

/** One line for each file. */
const linesOf = (times: Times): string =>
  Object.entries(times)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, { cpu, clock }]) => `    ${JSON.stringify(file)}: { "cpu": ${Math.round(cpu)}, "clock": ${Math.round(clock)} }`)
    .join(",\n");

export function recordTimes(extent: Extent, times: Times): void {
  const all = Object.entries({ ...read(), [extent]: times });
  const parts = all.map(([name, of]) => `  ${JSON.stringify(name)}: {\n${linesOf(of)}\n  }`);
  writeFileSync(recordFile, `{\n${parts.join(",\n")}\n}\n`);
}
