/** Queries of one consumer: the rows of a wgmma. */
export const ROWS = 64;

/** How attention is cut up and run. */
export interface Plan {
  /** Warpgroups that compute, each for 64 queries of a tile. */
  readonly consumers: 1 | 2 | 3 | 4;
  /** Keys and values of a block. */
  readonly keys: number;
  /** Blocks of keys that have room in shared memory, and as many of values. */
  readonly stages: number;
  /** Whether consumers take turns at issuing their products, so that one multiplies while another computes its weights. */
  readonly turns: boolean;
  /** Whether the scores of the next block are multiplied beside the weighted values of this one. */
  readonly overlap: boolean;
  /**
   * By how much, in powers of 2, a score may be above what is taken off before that is raised and the output so far scaled, which is then rare; weights are up to 2^slack, which
   * 16 bits hold as well as those up to 1. 0: it is raised to each new largest score, and the output scaled with every block.
   */
  readonly slack: number;
  /** Whether a block of threads stays for tile after tile. */
  readonly persistent: boolean;
  /** Heads whose tiles are computed side by side, the longest first. */
  readonly group: number;
}

/** Registers of a thread that loads, and of one that computes, by consumers. They add up to those of a multiprocessor. */
export const registers: Readonly<Record<Plan["consumers"], readonly [few: number, many: number]>> = {
  1: [56, 240],
  2: [24, 240],
  3: [32, 160],
  4: [32, 112],
};

/** Registers of a thread that computes, beside those of its scores, its weights and its sums: with fewer ptxas spills. */
const besideTiles = 36;

/** The most keys of a block whose scores and weights a consumer's registers hold beside its part of the output. */
export const mostKeys = (consumers: Plan["consumers"], dv: number): number =>
  Math.floor((registers[consumers][1] - besideTiles - dv / 2) / 12) * 16;

/** Bytes of shared memory that a block of an H100 or H200 has, less those of barriers and of what consumers note. */
export const mostBytes = 232_448 - 2048;

/** What a plan takes of them: queries of a consumer, a stage of keys and of values, and all. */
export function planBytes({ consumers, keys, stages }: Plan, { d, dv }: { readonly d: number; readonly dv: number }) {
  const [queries, stage] = [2 * ROWS * d, 2 * keys * (d + dv)];
  return { queries, stage, all: consumers * queries + stages * stage };
}

/** How rows of so many elements lie in shared memory: in panels of that width, which TMA moves at a time. */
export const panelOf = (d: number) =>
  d % 64 === 0 ? ({ width: 64, swizzle: "128B" } as const) : ({ width: 32, swizzle: "64B" } as const);
