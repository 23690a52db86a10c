import { given, numberIn, numbersIn, timesOf } from "./entry.ts";
import type { MemoryRecord } from "./memory-draw.ts";
import type { Entry } from "./record.ts";

/** How the reason of a plan begins whose result was wrong; other plans of `wrong` did not run. */
export const offBy = "off by ";

/** A case of `bench/memory.ts` as an entry of a record. Only what was right is timed. */
export function memoryEntry({ name, dtype, shape, bytes, us, tbps, ratio, peers, plans, wrong }: MemoryRecord): Entry {
  const correct = us !== null ? true : wrong.chosen?.startsWith(offBy) ? false : null;
  return {
    ...{ group: "memory", case: name, of: { dtype, shape }, us, peers, correct },
    ...{ figures: { bytes, tbps, ratio, plans }, ...given({ skipped: wrong }) },
  };
}

/** The case of an entry of `bench/memory.ts`. */
export function memoryCase(entry: Entry): MemoryRecord {
  const { figures = {}, skipped = {} } = entry;
  const [bytes, tbps, ratio] = [figures.bytes, figures.tbps, figures.ratio].map(numberIn);
  return {
    ...{ name: entry.case, dtype: String(entry.of.dtype), shape: entry.of.shape as readonly number[] },
    ...{
      bytes: bytes ?? Number.NaN,
      us: entry.us,
      tbps,
      ratio,
      peers: timesOf(entry),
      plans: numbersIn(figures.plans),
      wrong: skipped,
    },
  };
}
