import { type Columns, log2, preimage, reduce, times } from "./bits.ts";

/** For each bit of a register's number, a lane's, a warp's and a block's, in that order: what it adds. */
export interface Parts {
  readonly register: Columns;
  readonly lane: Columns;
  readonly warp: Columns;
  readonly block: Columns;
}

/** Where each place of the target finds its element: the register of the source, and the lane. */
export interface PlaceParts {
  readonly registers: Parts;
  readonly lanes: Parts;
}

/** A number that each thread knows: the constant, exclusive or what the bits of its lane, warp and block add. */
export interface ThreadFunction {
  readonly constant: number;
  readonly lane: Columns;
  readonly warp: Columns;
  readonly block: Columns;
}

/** One instruction `shfl.sync.idx` of a word, with the choice of registers before and after it. */
export interface Round {
  /** The source register that a lane gives. */
  readonly give: ThreadFunction;
  /** The lane whose register a lane takes. */
  readonly from: ThreadFunction;
  /** The target register that it is for. */
  readonly into: ThreadFunction;
  /** Which lanes take it: those where the parity of lane & mask is `parity`, for each. All where there is none. */
  readonly takers: readonly { readonly mask: number; readonly parity: 0 | 1 }[];
  /** False where each lane takes its own: no shuffle. */
  readonly exchanges: boolean;
}

export const valueAt = (
  { constant, lane, warp, block }: ThreadFunction,
  thread: { readonly lane: number; readonly warp: number; readonly block: number },
): number => constant ^ times(lane, thread.lane) ^ times(warp, thread.warp) ^ times(block, thread.block);

/** The values in all lanes of warp 0. */
export const valuesInLanes = (f: ThreadFunction): number[] =>
  Array.from({ length: 2 ** f.lane.length }, (_, lane) => valueAt(f, { lane, warp: 0, block: 0 }));

/**
 * Rounds in which each lane takes one element. A round goes through the registers of the target in step with lanes, so that lanes that
 * need elements of one lane take them in different rounds: register c xor g(lane), where g is such that as many source lanes as can be
 * are read at once. `held` is what register and lane of the source hold, `registerBits` of them registers.
 */
export function shuffleRounds(parts: PlaceParts, held: Columns, registerBits: number): Round[] {
  const step = stepThroughLanes(parts, held, registerBits);
  const sharers = sharersOf(step);
  const back = reduce(step.lane);
  const { registers, lanes } = parts;
  const rounds: Round[] = [];
  for (let first = 0; first < 2 ** registers.register.length; first++) {
    const [lane, register] = [times(lanes.register, first), times(registers.register, first)];
    for (let pass = 0; pass < 2 ** sharers.length; pass++) {
      const from = { constant: lane, lane: step.lane, warp: lanes.warp, block: lanes.block };
      // A lane is read by the lane that `back` gives, and by others that want the same of it in this pass.
      const given = (sourceLane: number): number => times(step.register, preimage(back, sourceLane));
      const extra = sharers.reduce((sum, s, k) => ((pass >> k) & 1 ? sum ^ s.register : sum), 0);
      const give = {
        constant: register ^ extra ^ given(lane),
        lane: step.lane.map((_, bit) => given(2 ** bit)),
        warp: lanes.warp.map((l, bit) => given(l) ^ (registers.warp[bit] ?? 0)),
        block: lanes.block.map((l, bit) => given(l) ^ (registers.block[bit] ?? 0)),
      };
      const into = { constant: first, lane: step.into, warp: lanes.warp.map(() => 0), block: lanes.block.map(() => 0) };
      const takers = sharers.map((s, k) => ({ mask: s.mask, parity: ((pass >> k) & 1) as 0 | 1 }));
      rounds.push({ give, from, into, takers, exchanges: !isOwn(from) });
    }
  }
  return rounds;
}

const isOwn = ({ constant, lane, warp, block }: ThreadFunction): boolean =>
  constant === 0 && lane.every((l, bit) => l === 2 ** bit) && [...warp, ...block].every((l) => l === 0);

/** What each bit of the target's lane adds in a round: to the target's register, and to lane and register of the source. */
interface Step {
  readonly into: readonly number[];
  readonly lane: readonly number[];
  readonly register: readonly number[];
}

/**
 * Bits of lanes that read a lane which others read already are given a register of the target of their own, or another place of the
 * source that holds the same, so that they read another lane.
 */
function stepThroughLanes({ registers, lanes }: PlaceParts, held: Columns, registerBits: number): Step {
  const [into, lane, register] = [lanes.lane.map(() => 0), [...lanes.lane], [...registers.lane]];
  const duplicates = reduce(held).kernel;
  const ways = [
    ...lanes.register.map((l, bit) => ({ into: 2 ** bit, lane: l, register: registers.register[bit] ?? 0 })),
    ...duplicates.map((place) => ({ into: 0, lane: place >>> registerBits, register: place & (2 ** registerBits - 1) })),
  ];
  for (const combination of reduce(lane).kernel) {
    const bit = log2(combination);
    const rank = reduce(lane).rows.length;
    const way = ways.find((w) => reduce(lane.with(bit, (lane[bit] ?? 0) ^ w.lane)).rows.length > rank);
    if (!way) continue;
    into[bit] = way.into;
    lane[bit] = (lane[bit] ?? 0) ^ way.lane;
    register[bit] = (register[bit] ?? 0) ^ way.register;
  }
  return { into, lane, register };
}

/** Bits of lanes that read the same lane and want another register of it. */
interface Sharer {
  /** The lanes whose parity under it is 1. */
  readonly mask: number;
  /** What the register differs by. */
  readonly register: number;
}

function sharersOf({ lane, register }: Step): Sharer[] {
  const same = reduce(lane).kernel.map((input) => ({ bit: 2 ** log2(input), register: times(register, input) }));
  const { kernel } = reduce(same.map((s) => s.register));
  const dependent = new Set(kernel.map((input) => log2(input)));
  return same.flatMap((sharer, i) => {
    if (dependent.has(i)) return [];
    const others = kernel.filter((input) => (input >> i) & 1).map((input) => same[log2(input)]?.bit ?? 0);
    return [{ mask: others.reduce((mask, bit) => mask | bit, sharer.bit), register: sharer.register }];
  });
}
