import { ourName } from "./contenders.ts";
import { given, numberIn, numbersIn, parametersOf, peersOf, timesOf } from "./entry.ts";
import type { Sustained } from "./measure.ts";
import type { Problem } from "./problem.ts";
import type { ByName, Entry, EntryCheck, Figures } from "./record.ts";
import type { CaseRecord } from "./run-case.ts";

/** A case of `npm run bench` as an entry of a record. */
export function productEntry(one: CaseRecord): Entry {
  const {
    case: name,
    group,
    us,
    tflops,
    peers,
    warm,
    sustained,
    correct,
    checks,
    clockMHz,
    watts,
    spread,
    notes,
    skipped,
    ...of
  } = one;
  const long = Object.entries(sustained).map(([who, { limits, ...figures }]) => [who, given(figures) as Figures] as const);
  const limits = Object.entries(sustained).flatMap(([who, found]) =>
    found.limits?.length ? [[who, found.limits] as const] : [],
  );
  return {
    ...{ group, case: name, of: given(of) as Entry["of"], us },
    ...{
      peers: peersOf(
        peers,
        Object.keys(skipped).filter((who) => who !== ourName),
      ),
      correct,
    },
    ...given({ spread, checks: checks as unknown as ByName<EntryCheck> }),
    figures: {
      tflops,
      ...(given({ warm, sustained: Object.fromEntries(long) }) as Figures),
      ...(clockMHz === null ? {} : { clockMHz }),
      ...(watts === null ? {} : { watts }),
    },
    ...given({ notes, skipped, limits: Object.fromEntries(limits) }),
  };
}

/** The case of an entry that `productEntry` has made. */
export function productCase(entry: Entry): CaseRecord {
  parametersOf(entry, { dtype: "string", layout: "string", m: "number", n: "number", k: "number", work: "string" });
  const { figures = {}, limits = {}, checks = {}, spread = {}, notes = {}, skipped = {} } = entry;
  const sustained = Object.entries((figures.sustained ?? {}) as Figures).map(([who, found]) => {
    const long = { ...numbersIn(found), limits: limits[who] ?? [] } as Partial<Sustained>;
    return [who, long as Sustained] as const;
  });
  return {
    ...{ case: entry.case, ...(entry.of as unknown as Omit<Problem, "group">), group: entry.group as Problem["group"] },
    ...{ us: entry.us, tflops: numberIn(figures.tflops), peers: timesOf(entry), warm: numbersIn(figures.warm) },
    ...{ sustained: Object.fromEntries(sustained), correct: entry.correct },
    checks: checks as unknown as CaseRecord["checks"],
    ...{ clockMHz: numberIn(figures.clockMHz), watts: numberIn(figures.watts) },
    ...{ spread: spread as CaseRecord["spread"], notes, skipped },
  };
}
