import type { Limits } from "../../base/target.ts";
import { warpSize } from "../../base/target.ts";

/** What the blocks on a multiprocessor can be too many for. */
export const limiters = ["registers", "shared memory", "threads", "blocks", "barriers"] as const;
/** What the blocks on a multiprocessor can be too many for. */
export type Limiter = (typeof limiters)[number];

/** What a block takes of a multiprocessor. Undefined is what is not known. */
export interface BlockNeeds {
  readonly threads: number;
  readonly registers: number | undefined;
  readonly sharedBytes: number;
  readonly barriers: number | undefined;
}

/** How many blocks of a kernel fit one multiprocessor. */
export interface Occupancy {
  /** Blocks on one multiprocessor; at most so many where `exact` is false. */
  readonly blocks: number;
  /** The registers are known, so that nothing else can be less. */
  readonly exact: boolean;
  /** Warps of these blocks. */
  readonly warps: number;
  /** These warps over all that a multiprocessor can hold. */
  readonly share: number;
  /** What no further block has room in. */
  readonly limitedBy: readonly Limiter[];
  /** How many blocks each of these has room for; undefined where it is not known what a block takes. */
  readonly limits: Readonly<Record<Limiter, number | undefined>>;
}

const upTo = (portion: number, amount: number): number => Math.ceil(amount / portion) * portion;

function byRegisters(warps: number, registers: number, { perSM, registers: all }: Limits): number {
  const ofWarp = upTo(perSM.warpRegistersAtOnce, registers * warpSize);
  // A launch is refused as if each partition gave to as many warps.
  if (ofWarp * upTo(perSM.partitions, warps) > all) return 0;
  const warpsOfPartition = Math.floor(all / perSM.partitions / ofWarp);
  return Math.floor((warpsOfPartition * perSM.partitions) / warps);
}

/** How many blocks fit one multiprocessor, by the rules of `cuda_occupancy.h`. All of its registers are there: other kernels are not counted. */
export function occupancyOf({ threads, registers, sharedBytes, barriers }: BlockNeeds, limits: Limits): Occupancy {
  const { perSM } = limits;
  const warps = Math.ceil(threads / warpSize);
  const shared = upTo(perSM.sharedBytesAtOnce, sharedBytes + perSM.reservedSharedBytes);
  const room: Readonly<Record<Limiter, number | undefined>> = {
    registers: registers === undefined ? undefined : byRegisters(warps, Math.max(1, registers), limits),
    "shared memory": Math.floor(perSM.sharedBytes / shared),
    threads: Math.floor(perSM.warps / warps),
    blocks: limits.blocksPerSM,
    barriers: barriers ? Math.floor(perSM.barriers / barriers) : undefined,
  };
  const blocks = Math.min(...limiters.flatMap((limiter) => room[limiter] ?? []));
  return {
    blocks,
    exact: registers !== undefined,
    warps: blocks * warps,
    share: (blocks * warps) / perSM.warps,
    limitedBy: limiters.filter((limiter) => room[limiter] === blocks),
    limits: room,
  };
}
