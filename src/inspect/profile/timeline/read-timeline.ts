import { counted, Places } from "../../../base/diag/index.ts";
import type { Dim3 } from "../../../base/types.ts";
import { readMarks, type TimedMark } from "../marks.ts";
import { type Deed, roleAfter } from "../role-after.ts";
import type { MarkKind, ProfileArrow, ProfileBlock, ProfileData, ProfileLane, ProfileSpan } from "../types.ts";
import { type BlockRead, BlockReader } from "./block.ts";
import { groupBy } from "./group-by.ts";
import { readRecords } from "./read-records.ts";
import type { RecordedLaunch, RecordedWarp, TimelineRecord, TimelineSite } from "./types.ts";
import { withThoseOfWarpgroups } from "./warpgroups.ts";

type Lane = { -readonly [K in keyof ProfileLane]: ProfileLane[K] };

function indexOf(block: number, [x, y]: Dim3): Dim3 {
  return [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))];
}

const isObserver = ({ records }: RecordedWarp): boolean =>
  records.some(({ site }) => site.what === "landing") &&
  records.every(({ site }) => site.what === "landing" || site.what === "mark" || site.name === "bar.sync");

/** What a warp was seen to do, where no mark says what it is for. */
function roleOf({ records }: RecordedWarp): string {
  const did: Readonly<Record<Deed, boolean>> = {
    loads: records.some(({ site }) => site.what === "load"),
    products: records.some(({ site }) => site.group === "wgmma" && (site.what === "commit" || site.commits)),
    stores: records.some(({ site }) => site.what === "store"),
  };
  return roleAfter((deed) => did[deed]);
}

/** Marks of one warp; what follows a record has more of its values. */
function marksOf(
  { records }: RecordedWarp,
  block: Dim3,
  warp: number,
  multiprocessor: number,
  lane: number,
): readonly TimedMark[] {
  const found: TimedMark[] = [];
  let values: number[] = [];
  for (const { site, at, values: own } of records) {
    const two = own.map((value) => value | 0);
    if (site.what === "more") for (const value of two) values.push(value);
    if (site.what !== "mark") continue;
    values = [...two];
    const space = site.name.indexOf(" ");
    const kind = site.name.slice(0, space) as MarkKind;
    const record = { kind, name: site.name.slice(space + 1), time: 0n, multiprocessor, block, warp, values, place: site.place };
    found.push({ record, lane, at });
  }
  return found;
}

/** What a block comes to. */
interface Told {
  readonly block: ProfileBlock;
  readonly lanes: readonly Lane[];
  readonly spans: readonly ProfileSpan[];
  readonly read: BlockRead;
  readonly unpaired: number;
}

function tellBlock(
  launch: RecordedLaunch,
  block: number,
  recorded: readonly RecordedWarp[],
  first: number,
  places: Places,
): Told {
  const warps = withThoseOfWarpgroups(recorded);
  const index = indexOf(block, launch.grid);
  const multiprocessor = warps[0]?.multiprocessor;
  const shown = warps.filter((warp) => !isObserver(warp)).toSorted((a, b) => a.warp - b.warp);
  const rows = new Map(shown.map(({ warp }, i) => [warp, first + i]));
  const begin = warps.reduce((least, own) => Math.min(least, own.begin), Number.POSITIVE_INFINITY);
  const end = warps.reduce((last, own) => Math.max(last, own.end), 0);
  const landings = first + shown.length;
  const read = new BlockReader(launch, { warps: rows, landings }).read(warps);
  const marks = shown.flatMap((warp) => marksOf(warp, index, warp.warp, warp.multiprocessor, rows.get(warp.warp) ?? 0));
  const endOf = (lane: number): number => shown[lane - first]?.end ?? end;
  const told = readMarks(marks, { placeOf: ({ place }) => places.of(place), endOf });
  const lanes: Lane[] = shown.map((warp, i) => ({
    kind: "warp",
    block: -1,
    warp: warp.warp,
    role: told.roles.get(first + i) ?? roleOf(warp),
    begin: warp.begin,
    end: warp.end,
  }));
  if (read.spans.some(({ lane }) => lane === landings))
    lanes.push({ kind: "landings", block: -1, warp: -1, role: "", begin, end });
  const own = read.spans.map(({ record, ...span }): ProfileSpan => {
    const place = places.of(record?.site.place);
    return place === undefined ? span : { ...span, place };
  });
  return { block: { index, multiprocessor }, lanes, spans: [...own, ...told.spans], read, unpaired: told.unpaired };
}

const waitsForAll = ({ what, barrier, by }: TimelineSite): boolean => what === "wait" && barrier && by === "warpgroup";

interface Totals {
  readonly blocks: number;
  readonly kept: number;
  readonly dropped: number;
  readonly missed: number;
  readonly unseen: number;
  readonly error: number;
  readonly unended: number;
  /** Some warp has recorded waits of its whole warpgroup. */
  readonly forAll: boolean;
}

function notesOf({ slicedBlocks, sites }: RecordedLaunch, t: Totals): readonly string[] {
  const loads = sites.some(({ what }) => what === "load");
  const observes = sites.some(({ what }) => what === "landing");
  const notes: string[] = [];
  const say = (when: boolean, text: string): void => void (when && notes.push(text));
  say(slicedBlocks < t.blocks, `${slicedBlocks} of ${t.blocks} blocks were recorded: the first ones`);
  say(
    t.kept < Math.min(slicedBlocks, t.blocks),
    `${counted(t.kept, "block")} of ${Math.min(slicedBlocks, t.blocks)} are kept: \`limit\` is reached`,
  );
  const left = sites.flatMap(({ what, place }) => (what === "left" ? [place?.line ?? 0] : []));
  const lines = [...new Set(left)].filter((line) => line > 0).toSorted((a, b) => a - b);
  say(
    left.length > 0,
    `the second side of ${counted(left.length, "branch", "branches")} is not recorded${lines.length > 0 ? ` (${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")})` : ""}: lanes of a warp part there, and both sides have loops`,
  );
  say(t.forAll, "in loops with wgmma the first warp of each warpgroup recorded the waits of all four");
  say(t.dropped > 0, `${counted(t.dropped, "record")} of warps found no room`);
  say(t.unended > 0, `${counted(t.unended, "warp")} did not come to an end`);
  say(
    loads && !observes,
    "no warp of the block is idle, so nobody saw when copies landed: a load ends where the next wait for its barrier does",
  );
  say(
    t.missed > 0,
    `${counted(t.missed, "phase")} of barriers were over before they were seen: a load of these seems to land with the next one`,
  );
  say(observes && t.unseen > 0, `of ${counted(t.unseen, "load")} it is not known when they landed`);
  say(true, `clocks agree within ${Math.ceil(t.error)} ns`);
  return notes;
}

/** The profile of a launch that has recorded a timeline. Times are nanoseconds from the beginning of its first warp. */
export function readTimeline(launch: RecordedLaunch): ProfileData {
  const { kernel, device, grid, block, cluster, limit } = launch;
  const { warps, clocks } = readRecords(launch);
  const places = new Places();
  const blocks: ProfileBlock[] = [];
  const lanes: Lane[] = [];
  const spans: ProfileSpan[] = [];
  const arrows: ProfileArrow[] = [];
  let [dropped, missed, unseen, unpaired, unkept] = [0, 0, 0, 0, 0];
  const byBlock = [...groupBy(warps, (warp) => warp.block)].toSorted(([, a], [, b]) => (a[0]?.begin ?? 0) - (b[0]?.begin ?? 0));
  for (const [number, own] of byBlock) {
    const told = tellBlock(launch, number, own, lanes.length, places);
    dropped += own.reduce((n, warp) => n + warp.dropped, 0);
    const size = told.spans.length + told.read.arrows.length;
    if (blocks.length > 0 && spans.length + arrows.length + size > limit) {
      unkept += size;
      continue;
    }
    const at = blocks.push(told.block) - 1;
    for (const lane of told.lanes) lanes.push({ ...lane, block: at });
    for (const span of told.spans) spans.push(span);
    for (const arrow of told.read.arrows) arrows.push(arrow);
    [missed, unseen, unpaired] = [missed + told.read.missed, unseen + told.read.unseen, unpaired + told.unpaired];
  }
  const total = grid.reduce((n, extent) => n * extent, 1);
  const unended = warps.filter(({ ended }) => !ended).length;
  const forAll = warps.some(({ records }) => records.some(({ site }) => waitsForAll(site)));
  const totals = { forAll, blocks: total, kept: blocks.length, dropped, missed, unseen, error: clocks?.error ?? 0, unended };
  return {
    ...{ kernel, device, grid, block, cluster, unit: "ns" },
    duration: warps.reduce((last, { end }) => Math.max(last, end), 0),
    ...{
      blocks,
      lanes,
      places: places.list,
      spans: spans.toSorted((a, b) => a.begin - b.begin),
      arrows,
      instants: [],
      counts: [],
    },
    ...{ dropped: dropped + unkept, unpaired, notes: notesOf(launch, totals) },
  };
}

export type { TimelineRecord };
