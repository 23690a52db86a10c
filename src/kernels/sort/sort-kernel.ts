import {
  bits,
  block,
  blockIdx,
  grid,
  gridDependency,
  i32,
  type Kernel,
  kernel,
  range,
  type SharedView,
  sharedMemory,
  syncThreads,
  syncWarp,
  type Tensor,
  threadIdx,
  u32,
  warp,
} from "warpsmith";
import type { Kept } from "../common/made.ts";
import { binCount, digitCount, digitOf, type KeyType, lanesBefore, lanesWith, type Order } from "./digits.ts";

/** How threads share keys. */
export interface SortPlan {
  /** Threads of a block: 256, 512 or 1024. */
  readonly threads: number;
  /** Keys of a thread in a tile. */
  readonly keys: number;
  /** Blocks that have a row together: each has tiles that follow each other. With 1 each block has rows of its own. */
  readonly blocks: number;
  readonly blocksPerSM: number;
}

export interface SortShape extends Order {
  readonly plan: SortPlan;
  /** What moves with the keys: nothing, numbers that are given, or the columns where keys were. */
  readonly values: "none" | "given" | "columns";
}

type Keys = Tensor<KeyType, 2>;
type Values = Tensor<"i32", 2>;

/** Memory that a sort goes through: from x to the spare, to the result, to the spare and to the result. */
export interface SortTensors {
  readonly x: Keys;
  readonly spare: Keys;
  readonly out: Keys;
  readonly values?: Values;
  readonly spareValues?: Values;
  readonly outValues?: Values;
  /** How often each digit is in the part of each block, and behind that in all: [256, blocks + 1]. */
  readonly counts?: Tensor<"u32", 2>;
}

/** Keys and what moves with them, from one place to another. */
interface Move {
  readonly from: Keys;
  readonly to: Keys;
  readonly valuesFrom: Values | undefined;
  readonly valuesTo: Values | undefined;
  readonly digit: number;
  /** Values are the columns, which nobody has to read. */
  readonly begins: boolean;
}

/** What a block has in shared memory. */
interface Room {
  /** How often each digit is in the tile or in this block's part; then where its keys go. */
  readonly bins: SharedView<"u32", 1>;
  /** How often each digit is among the keys of each warp; then where these begin in the tile. */
  readonly starts: SharedView<"u32", 2>;
  /** Where keys of each digit go in the result, less where they begin in the tile. */
  readonly offsets: SharedView<"u32", 1>;
  /** Where the next keys of each digit go. */
  readonly places: SharedView<"u32", 1>;
  /** The tile in the order of this digit. */
  readonly tile: SharedView<KeyType, 1>;
  readonly values: SharedView<"i32", 1> | undefined;
}

/** Rows in order, digit by digit from the lowest: each time all keys move to where those with a lower digit, and before them with the same one, leave off. */
export function makeSort(shape: SortShape, overlaps: boolean, kept: Kept): Kernel<[t: SortTensors]> {
  const { plan, dtype } = shape;
  const { threads, keys, blocks } = plan;
  const isValued = shape.values !== "none";
  const names = [
    "x",
    "spare",
    "out",
    ...(shape.values === "given" ? ["values"] : []),
    ...(isValued ? ["spareValues", "outValues"] : []),
  ];
  const axis = blocks > 1 ? 1 : 0;
  return kernel(
    {
      ...kept,
      block: threads,
      blocksPerSM: plan.blocksPerSM,
      grid: ({ x }: SortTensors) => (blocks > 1 ? blocks : (x.shape[0] as number)),
      cooperative: blocks > 1,
      dynamic: Object.fromEntries(names.map((name) => [`t.${name}`, [axis]])),
    },
    function sort(t: SortTensors) {
      if (overlaps) gridDependency.wait();
      const room: Room = {
        bins: sharedMemory.alloc("u32", [binCount]),
        starts: sharedMemory.alloc("u32", [threads / 32, binCount]),
        offsets: sharedMemory.alloc("u32", [binCount]),
        places: sharedMemory.alloc("u32", [binCount]),
        tile: sharedMemory.alloc(dtype, [threads * keys]),
        values: isValued ? sharedMemory.alloc("i32", [threads * keys]) : undefined,
      };
      const { out, spare, outValues, spareValues } = t;
      for (let digit = 0; digit < digitCount; digit++) {
        const isEven = digit % 2 === 0;
        move(shape, t, room, {
          from: digit === 0 ? t.x : isEven ? out : spare,
          to: isEven ? spare : out,
          valuesFrom: digit === 0 ? t.values : isEven ? outValues : spareValues,
          valuesTo: isEven ? spareValues : outValues,
          digit,
          begins: digit === 0 && shape.values === "columns",
        });
      }
    },
  );
}

/** All keys of a row by one digit. */
function move(shape: SortShape, { counts }: SortTensors, room: Room, now: Move): void {
  "use kernel";
  const { threads, keys, blocks } = shape.plan;
  const tile = threads * keys;
  const columns = now.from.shape[1];
  const row = blocks > 1 ? i32(0) : blockIdx.x;
  const own = blocks > 1 ? blockIdx.x : i32(0);
  const tiles = Math.trunc((columns + tile - 1) / tile);
  const perBlock = Math.trunc((tiles + blocks - 1) / blocks);
  const [from, to] = [Math.min(own * perBlock, tiles) * tile, Math.min((own + 1) * perBlock, tiles) * tile];
  count(shape, room, now, row, from, to);
  const earlier = blocks > 1 && counts ? acrossBlocks(shape, counts, room) : u32(0);
  const total = counts && blocks > 1 ? digitTotal(counts, blocks) : ownBin(room);
  const before = block.scan(total, (a, b) => a + b, { exclusive: u32(0) });
  if (threadIdx.x < binCount) room.places.at(threadIdx.x).store(before + earlier);
  for (const at of range(from, to, tile)) {
    if (at <= columns - tile) scatter(shape, room, now, row, at, true);
    else scatter(shape, room, now, row, at, false);
  }
  if (blocks > 1) grid.sync(); // one block has a barrier before it reads again
}

/** This thread's bin, for those that have one. */
function ownBin({ bins }: Room): number {
  "use kernel";
  return bins.at(threadIdx.x).load({ pred: threadIdx.x < binCount });
}

/** How often each digit is in this block's part of a row. */
function count(shape: SortShape, { bins }: Room, { from: source, digit }: Move, row: number, from: number, to: number): void {
  "use kernel";
  const { threads, keys } = shape.plan;
  const columns = source.shape[1];
  if (threadIdx.x < binCount) bins.at(threadIdx.x).store(0);
  syncThreads();
  for (const at of range(from, to, threads * keys)) {
    const places = Array.from({ length: keys }, (_, i) => at + i * threads + threadIdx.x);
    const loaded = places.map((place) => source.at(row, place).load({ pred: place < columns }));
    for (const [i, place] of places.entries())
      bins.at(digitOf(shape, loaded[i] ?? 0, digit)).reduce("add", 1, { pred: place < columns });
  }
  syncThreads();
}

/** How often this thread's digit is in the parts of earlier blocks: each warp of the grid adds up some digits, in the order of blocks. */
function acrossBlocks({ plan }: SortShape, counts: Tensor<"u32", 2>, { bins }: Room): number {
  "use kernel";
  const { threads, blocks } = plan;
  const pred = threadIdx.x < binCount;
  counts.at(threadIdx.x, blockIdx.x).store(bins.at(threadIdx.x).load({ pred }), { pred });
  grid.sync();
  const warps = threads / 32;
  for (const digit of range(blockIdx.x * warps + warp.index, binCount, blocks * warps)) {
    let sum = u32(0);
    for (const first of range(0, blocks, 32)) {
      const at = first + warp.lane;
      const own = counts.at(digit, at).load({ pred: at < blocks });
      const through = warp.scan(own, (a, b) => a + b);
      counts.at(digit, at).store(sum + through - own, { pred: at < blocks });
      sum = sum + warp.shuffle(through, 31);
    }
    if (warp.lane === 0) counts.at(digit, blocks).store(sum);
  }
  grid.sync();
  return counts.at(threadIdx.x, blockIdx.x).load({ pred });
}

/** How often this thread's digit is in the row. */
function digitTotal(counts: Tensor<"u32", 2>, blocks: number): number {
  "use kernel";
  return counts.at(threadIdx.x, blocks).load({ pred: threadIdx.x < binCount });
}

/** Moves a tile, whose memory the next one takes behind two barriers of its own: puts it in order in shared memory first, so that keys with one digit leave side by side. `isWhole`: it does not reach over the end of the row. */
function scatter(shape: SortShape, room: Room, now: Move, row: number, first: number, isWhole: boolean): void {
  "use kernel";
  const { threads, keys } = shape.plan;
  const { from: source, to, digit } = now;
  const columns = source.shape[1];
  const isIn = (place: number) => (isWhole ? {} : { pred: place < columns });
  // Each warp has keys that follow each other, and each of its loads 32 of them.
  const begin = first + warp.index * (keys * 32) + warp.lane;
  const places = Array.from({ length: keys }, (_, i) => begin + i * 32);
  const loaded = loadAll(source, row, begin, places, isIn);
  const digitAt = (i: number): number => {
    const own = digitOf(shape, loaded[i] ?? 0, digit);
    return isWhole ? own : (places[i] ?? 0) < columns ? own : binCount - 1;
  };
  const ranks = rank(room, places.length, digitAt);
  syncThreads();
  startsOf(shape, room);
  syncThreads();
  const targets = ranks.map((own, i) => i32(own + room.starts.at(warp.index, digitAt(i)).load()));
  for (const [i, target] of targets.entries()) room.tile.at(target).store(loaded[i] ?? 0);
  if (room.values) {
    const given = now.begins ? undefined : now.valuesFrom;
    const values = given ? loadAll(given, row, begin, places, isIn) : places;
    for (const [i, target] of targets.entries()) room.values.at(target).store(values[i] ?? 0);
  }
  syncThreads();
  for (const at of range(threadIdx.x, threads * keys, threads, { unroll: 4 })) {
    const key = room.tile.at(at).load();
    const goal = i32(room.offsets.at(digitOf(shape, key, digit)).load() + u32(at));
    const options = isIn(first + at);
    to.at(row, goal).store(key, options);
    if (room.values && now.valuesTo) now.valuesTo.at(row, goal).store(room.values.at(at).load(), options);
  }
}

/** What a thread has of a row, 32 elements apart. */
function loadAll(
  x: Keys | Values,
  row: number,
  begin: number,
  places: readonly number[],
  isIn: (place: number) => { readonly pred?: boolean },
): readonly number[] {
  "use kernel";
  const own = x.subview([row, begin], [1, places.length * 32]);
  return places.map((place, i) => own.at(0, i * 32).load(isIn(place)));
}

/** How many keys of this thread's warp with the same digit come before each of its keys; counts the digits of warps. */
function rank({ starts }: Room, count: number, digitAt: (i: number) => number): readonly number[] {
  "use kernel";
  for (let at = 0; at < binCount; at += 32) starts.at(warp.index, at + warp.lane).store(0);
  syncWarp();
  return Array.from({ length: count }, (_, i) => {
    const digit = digitAt(i);
    const peers = lanesWith(digit);
    const before = starts.at(warp.index, digit).load();
    const own = u32(lanesBefore(peers));
    syncWarp();
    if (own === 0) starts.at(warp.index, digit).store(before + u32(bits.popcount(peers)));
    syncWarp();
    return before + own;
  });
}

/** Where keys of each digit begin: those of each warp in the tile, and where the tile's go in the result. */
function startsOf({ plan }: SortShape, { starts, offsets, places }: Room): void {
  "use kernel";
  const isOwn = threadIdx.x < binCount;
  const warps = Array.from({ length: plan.threads / 32 }, (_, w) => starts.at(w, threadIdx.x));
  let total = u32(0);
  for (const place of warps) total = total + place.load({ pred: isOwn });
  const start = block.scan(total, (a, b) => a + b, { exclusive: u32(0) });
  if (isOwn) {
    let next = start;
    for (const place of warps) {
      const own = place.load();
      place.store(next);
      next = next + own;
    }
    const place = places.at(threadIdx.x).load();
    offsets.at(threadIdx.x).store((place - start) >>> 0);
    places.at(threadIdx.x).store(place + total);
  }
}
