import type { MarkRecord, ProfileSpan } from "./types.ts";

/** A mark of a lane whose time is known. */
export interface TimedMark {
  readonly record: MarkRecord;
  readonly lane: number;
  readonly at: number;
}

/** What the marks of a launch say. */
export interface MarksRead {
  readonly spans: readonly ProfileSpan[];
  /** Roles, by lane. */
  readonly roles: ReadonlyMap<number, string>;
  /** Ends that nothing had begun. */
  readonly unpaired: number;
}

/** Those of one lane, in the order of time. */
class LaneMarks {
  readonly spans: ProfileSpan[] = [];
  readonly #placeOf: (record: MarkRecord) => number | undefined;
  /** What has begun, innermost last. */
  readonly #begun: TimedMark[] = [];
  #tile: TimedMark | undefined;
  role: string | undefined;
  unpaired = 0;

  constructor(placeOf: (record: MarkRecord) => number | undefined) {
    this.#placeOf = placeOf;
  }

  #span({ record, lane, at }: TimedMark, end: number, open: boolean): void {
    const place = this.#placeOf(record);
    const [m = 0, n = 0, k = 0, index = 0] = record.values;
    const tile = record.kind === "tile";
    this.spans.push({
      kind: tile ? "tile" : "mark",
      name: tile ? `tile (${m}, ${n})` : record.name,
      ...{ lane, begin: at, end: Math.max(at, end) },
      ...(open && { open: true }),
      ...(place !== undefined && { place }),
      ...(tile && { details: { m, n, k, index } }),
    });
  }

  take(mark: TimedMark): void {
    const { kind, name } = mark.record;
    if (kind === "role") this.role = name;
    else if (kind === "begin") this.#begun.push(mark);
    else if (kind === "end") this.#end(mark);
    else {
      if (this.#tile) this.#span(this.#tile, mark.at, false);
      this.#tile = mark;
    }
  }

  /** The innermost of that name; what began within it and has not ended ends with it. */
  #end({ record, at }: TimedMark): void {
    const nth = this.#begun.findLastIndex((begun) => begun.record.name === record.name);
    if (nth < 0) {
      this.unpaired += 1;
      return;
    }
    for (const [i, begun] of this.#begun.splice(nth).entries()) this.#span(begun, at, i > 0);
  }

  finish(end: number): void {
    for (const begun of this.#begun.splice(0)) this.#span(begun, end, true);
    if (this.#tile) this.#span(this.#tile, end, false);
  }
}

/**
 * Pairs the marks of each warp. A span that its warp never ends goes on until the warp ends, a tile until the next one. `endOf`: when the
 * warp of a lane ended.
 */
export function readMarks(
  marks: readonly TimedMark[],
  { placeOf, endOf }: { readonly placeOf: (record: MarkRecord) => number | undefined; readonly endOf: (lane: number) => number },
): MarksRead {
  const lanes = new Map<number, LaneMarks>();
  for (const mark of marks.toSorted((a, b) => a.at - b.at)) {
    const own = lanes.get(mark.lane) ?? new LaneMarks(placeOf);
    lanes.set(mark.lane, own);
    own.take(mark);
  }
  for (const [lane, own] of lanes) own.finish(endOf(lane));
  const all = [...lanes.values()];
  return {
    spans: all.flatMap((own) => own.spans).toSorted((a, b) => a.begin - b.begin),
    roles: new Map([...lanes].flatMap(([lane, { role }]) => (role === undefined ? [] : [[lane, role] as const]))),
    unpaired: all.reduce((n, own) => n + own.unpaired, 0),
  };
}
