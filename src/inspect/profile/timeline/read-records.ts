import { warpSize } from "../../../base/target.ts";
import { timelineLayout as layout } from "../../../base/timeline-layout.ts";
import { type Anchor, type Clocks, clocksOf } from "./clocks.ts";
import type { RecordedLaunch, RecordedWarp, TimelineRecord } from "./types.ts";

/** A record has so much of the address of a barrier: more than a block has shared memory, and less than where that begins on the emulator. */
const addressed = 8 * 2 ** (31 - layout.siteBits);

/** A slice that its warp has begun. */
interface Slice {
  readonly from: number;
  readonly block: number;
  readonly warp: number;
  readonly begin: Anchor;
  readonly end: Anchor | undefined;
}

export interface RecordsRead {
  readonly warps: readonly RecordedWarp[];
  readonly clocks: Clocks | undefined;
}

function slicesOf({ words, sliceWords, slicedBlocks, block }: RecordedLaunch): readonly Slice[] {
  const warps = Math.ceil(block.reduce((n, extent) => n * extent, 1) / warpSize);
  const word = (at: number): number => words[at] ?? 0;
  const long = (at: number): bigint => BigInt(word(at)) + (BigInt(word(at + 1)) << 32n);
  const found: Slice[] = [];
  for (let i = 0; i < slicedBlocks * warps; i++) {
    const from = i * sliceWords;
    if (word(from + layout.present) !== 1) continue;
    const multiprocessor = word(from + layout.multiprocessor);
    const anchor = (clock: number, time: number): Anchor => ({
      multiprocessor,
      clock: word(from + clock),
      time: long(from + time),
    });
    const end = anchor(layout.endClock, layout.endTime);
    const begin = anchor(layout.beginClock, layout.beginTime);
    found.push({ from, block: Math.floor(i / warps), warp: i % warps, begin, end: end.time === 0n ? undefined : end });
  }
  return found;
}

/** All that warps have recorded, with times from the beginning of the launch. */
export function readRecords(launch: RecordedLaunch): RecordsRead {
  const { words, sliceWords, sites } = launch;
  const slices = slicesOf(launch);
  const clocks = clocksOf(slices.flatMap(({ begin, end }) => (end ? [begin, end] : [begin])));
  if (!clocks) return { warps: [], clocks };
  const start = slices.reduce((least, { begin }) => Math.min(least, clocks.at(begin, 0)), Number.POSITIVE_INFINITY);
  const room = sliceWords - layout.slack * layout.recordWords;
  const warps = slices.map(({ from, block, warp, begin, end }): RecordedWarp => {
    const shared = words[from + layout.shared] ?? 0;
    const since = (clock: number): number => (clock - begin.clock) >>> 0;
    const at = (clock: number): number => clocks.at(begin, since(clock)) - start;
    const records: TimelineRecord[] = [];
    // Of records that are written together the first one had room.
    let written = 0;
    for (let i = layout.records; i < sliceWords; i += layout.recordWords) {
      // Most of a slice is empty.
      const tag = words[from + i] ?? 0;
      const site = sites[(tag & (2 ** layout.siteBits - 1)) - 1];
      if (!site) continue;
      const [, clock = 0, first = 0, second = 0] = words.subarray(from + i, from + i + layout.recordWords);
      if (i >= room) written += 1;
      const place = ((tag & 0x7fffffff) >>> layout.siteBits) * 8;
      const cycles = site.what === "wait" ? (first - clock) >>> 0 : 0;
      const time = at(clock);
      records.push({
        site,
        barrier: site.barrier ? (place - shared) & (addressed - 1) : undefined,
        parity: tag >>> 31,
        at: time,
        end: time + cycles * clocks.cycle(begin.multiprocessor),
        cycles,
        values: [first, second],
        id: tag >>> layout.siteBits,
      });
    }
    const taken = words[from + layout.taken] ?? 0;
    const beyond = Math.ceil((taken - 4 * (room - layout.records)) / layout.recordBytes) - written;
    const last = records.reduce((most, record) => Math.max(most, record.end), clocks.at(begin, 0) - start);
    return {
      ...{ block, warp, multiprocessor: begin.multiprocessor, begin: clocks.at(begin, 0) - start },
      ...{ end: end ? clocks.at(end, 0) - start : last, ended: end !== undefined, records },
      dropped: Math.max(0, beyond),
    };
  });
  return { warps, clocks };
}
