import { given, numberIn, parametersOf } from "./entry.ts";
import type { PlanRecord, VariantRecords } from "./mma-sync-measure.ts";
import type { ByName, Entry } from "./record.ts";

/** What was found of one variant. */
export interface Found {
  sweep: VariantRecords;
  chosen: readonly string[];
  sizes: VariantRecords;
}

const stages = ["sweep", "sizes"] as const;
const ltName = "cublasLt";

/** Every plan at every size, cublasLt's best as one of them and as the peer of the others; group "chosen": the plans that were timed at all sizes. */
export const mmaSyncEntries = (found: ByName<Found>): readonly Entry[] =>
  Object.entries(found).flatMap(([variant, one]) => [
    ...stages.flatMap((group) =>
      Object.entries(one[group]).flatMap(([size, records]) =>
        records.map((record) => entryOf(group, { variant, m: Number(size) }, record, records)),
      ),
    ),
    ...one.chosen.map((plan): Entry => ({ group: "chosen", case: plan, of: { variant }, us: null, peers: {}, correct: null })),
  ]);

function entryOf(group: string, of: Entry["of"], record: PlanRecord, all: readonly PlanRecord[]): Entry {
  const { plan, us, tflops, ofLt, correct, relative, spread, note, skipped } = record;
  const lt = plan === ltName ? undefined : all.find((one) => one.plan === ltName);
  return {
    ...{ group, case: plan, of, us, peers: lt ? { [ltName]: lt.us } : {}, correct },
    ...given({ spread: spread && { [plan]: spread } }),
    figures: { tflops, ofLt, ...given({ relative }) },
    ...given({ notes: note === undefined ? {} : { [plan]: note } }),
    ...given({
      skipped: {
        ...(lt?.us === null ? { [ltName]: lt.skipped ?? "not timed" } : {}),
        ...(skipped === undefined ? {} : { [plan]: skipped }),
      },
    }),
  };
}

const planRecord = ({ case: plan, us, correct, spread, figures = {}, notes, skipped }: Entry): PlanRecord => ({
  ...{ plan, us, tflops: numberIn(figures.tflops), ofLt: numberIn(figures.ofLt), correct },
  ...given({ relative: numberIn(figures.relative) ?? undefined, spread: spread?.[plan] as PlanRecord["spread"] }),
  ...given({ note: notes?.[plan], skipped: skipped?.[plan] }),
});

/** What `mmaSyncEntries` has made entries of. */
export function foundIn(entries: readonly Entry[]): ByName<Found> {
  const found: Record<string, Found> = {};
  for (const entry of entries) {
    const { variant } = parametersOf(entry, { variant: "string" });
    found[variant] ??= { sweep: {}, chosen: [], sizes: {} };
    const one = found[variant];
    const group = stages.find((stage) => stage === entry.group);
    if (group === undefined) one.chosen = [...one.chosen, entry.case];
    else {
      const { m } = parametersOf(entry, { m: "number" });
      one[group] = { ...one[group], [m]: [...(one[group][m] ?? []), planRecord(entry)] };
    }
  }
  return found;
}
