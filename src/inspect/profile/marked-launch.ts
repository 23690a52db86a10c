import { readMarks } from "./marks.ts";
import type { MarkRecord, ProfileBlock, ProfileData, ProfileLane } from "./types.ts";

type Launched = Pick<ProfileData, "kernel" | "device" | "grid" | "block" | "cluster">;

/** A list of things, each of them once. */
class Once<T> {
  readonly list: T[] = [];
  readonly #numbers = new Map<string, number>();

  of(key: string, make: () => T): number {
    const known = this.#numbers.get(key) ?? this.list.push(make()) - 1;
    this.#numbers.set(key, known);
    return known;
  }
}

/**
 * The profile that the marks of a kernel alone make, where the device says nothing by itself: rows of the warps that recorded any, from the
 * first of them to the last. Times are nanoseconds of `%globaltimer` from the first mark on.
 */
export function markedLaunch(records: readonly MarkRecord[], launched: Launched, lost: number): ProfileData {
  const start = records.reduce<bigint>((least, { time }) => (time < least ? time : least), records[0]?.time ?? 0n);
  const blocks = new Once<ProfileBlock>();
  const lanes = new Once<{ -readonly [K in keyof ProfileLane]: ProfileLane[K] }>();
  const places = new Once<NonNullable<MarkRecord["place"]>>();
  const timed = records.map((record) => {
    const { block, warp, multiprocessor } = record;
    const at = Number(record.time - start);
    const own = blocks.of(block.join(), () => ({ index: block, multiprocessor }));
    const lane = lanes.of(`${own}/${warp}`, () => ({ kind: "warp", block: own, warp, role: "", begin: at, end: at }));
    const row = lanes.list[lane];
    if (row) Object.assign(row, { begin: Math.min(row.begin, at), end: Math.max(row.end, at) });
    return { record, lane, at };
  });
  const { spans, roles, unpaired } = readMarks(timed, {
    placeOf: ({ place }) => place && places.of(`${place.file}:${place.line}:${place.column}`, () => place),
    endOf: (lane) => lanes.list[lane]?.end ?? 0,
  });
  for (const [lane, role] of roles) Object.assign(lanes.list[lane] ?? {}, { role });
  return {
    ...launched,
    unit: "ns",
    duration: lanes.list.reduce((last, { end }) => Math.max(last, end), 0),
    ...{ blocks: blocks.list, lanes: lanes.list, places: places.list, spans },
    ...{ arrows: [], instants: [], counts: [], dropped: lost, unpaired },
  };
}
