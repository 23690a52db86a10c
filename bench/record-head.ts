import { cpus } from "node:os";
import type { Header } from "./arena.ts";
import { given } from "./entry.ts";
import type { Method } from "./methods.ts";
import type { BenchRecord, ByName, Figures, Head } from "./record.ts";
import { treeOf } from "./tree.ts";

/** Of a run on the emulator there is the name alone. */
export type RunHeader = Pick<Header, "gpu"> & Partial<Header>;

const absent = "not there";

/** The head of a record of a GPU. */
export function headOf(header: RunHeader, { how, checked }: Method, versions: ByName<string> = {}, figures: Figures = {}): Head {
  const { gpu, date = null, driver = null, commit = absent, powerLimitWatts, ...libraries } = header;
  return {
    ...{ card: gpu, driver, date, commit: commit === absent ? null : commit, how, checked },
    versions: { ...(libraries as ByName<string>), ...versions },
    figures: { ...given({ powerLimitWatts }), ...figures },
  };
}

/** What `headOf` was given. */
export function headerOf({ card, driver, date, commit, versions, figures }: Head): RunHeader {
  const { powerLimitWatts } = figures;
  return {
    ...{ gpu: card, ...(date === null ? {} : { date }), ...versions, ...(driver === null ? {} : { driver }) },
    ...(powerLimitWatts === undefined ? {} : { powerLimitWatts: powerLimitWatts as number | null }),
    commit: commit ?? absent,
  };
}

/** The head of a record of this machine's CPU, now. */
export const cpuHead = ({ how, checked }: Method, figures: Figures = {}): Head => ({
  ...{ card: (cpus()[0]?.model ?? "unknown").trim(), driver: null, date: new Date().toISOString(), commit: treeOf() },
  ...{ how, checked, versions: { node: process.version }, figures: { cores: cpus().length, ...figures } },
});

/** What a drawing says of its record. */
export const captionOf = ({ card, date }: BenchRecord): { readonly gpu: string; readonly date: string } => ({
  ...{ gpu: card, date: date ?? "" },
});
