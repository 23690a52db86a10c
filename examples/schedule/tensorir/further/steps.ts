import type { Schedule } from "warpsmith/schedule";
import { type Splits, tensorize, tutorialSplits } from "../steps.ts";
import { copiesByTma, products } from "./warpgroups.ts";
import { copiesAhead, operandsAhead, rowsApart } from "./warps.ts";

/** How large tiles are, and how many of them are on their way. */
export interface Sizes {
  /** The tutorial's tiles, and smaller ones. */
  readonly large: Splits;
  readonly small: Splits;
  /** Trips that copies by threads are ahead of the products. */
  readonly ahead: number;
  /** Columns of a tile of a warpgroup. */
  readonly columns: number;
  /** Trips whose tiles TMA keeps in shared memory: at first, and from step 15 on. */
  readonly few: number;
  readonly many: number;
  /** Rows of tiles that blocks take at a time. */
  readonly order: number;
}
/** Those for 1024 × 1024 × 1024. */
export const fullSizes: Sizes = {
  large: tutorialSplits,
  small: { i: [null, 2, 2], j: [null, 4, 2], k: [null, 2, 2] },
  ...{ ahead: 3, columns: 128, few: 4, many: 8, order: 8 },
};

/** A schedule of Z = X @ Yᵀ, n × n. */
type Make = (n: number, sizes: Sizes) => Schedule;

/** The schedule before it with one idea more. */
export interface FurtherStep {
  /** With the number that goes on from the tutorial's. */
  readonly name: string;
  /** In one sentence. */
  readonly idea: string;
  /** Who multiplies: each warp by itself, or the four of a warpgroup together. */
  readonly by: "warps" | "warpgroup";
  readonly make: Make;
  /** Other ways to the same idea, which are measured beside it. */
  readonly others?: Readonly<Record<string, Make>>;
}

const first = { wait: 0, stores: "threads", order: 1 } as const;

/** From the tutorial's last step on. */
export const ladder: readonly FurtherStep[] = [
  {
    name: "8 tensorize",
    idea: "The tutorial's end: 64 blocks, each with a tile of 128 × 128, by WMMA.",
    by: "warps",
    make: (n, { large }) => tensorize(n, large),
  },
  {
    name: "9 rows apart",
    idea: "Rows of shared memory begin in other banks.",
    by: "warps",
    make: (n, { large }) => rowsApart(n, large),
  },
  {
    name: "10 smaller tiles",
    idea: "128 tiles of 64 × 128, so that 128 of the 132 multiprocessors have one.",
    by: "warps",
    make: (n, { small }) => rowsApart(n, small),
    others: {
      "256 tiles of 64 × 64": (n, { small }) => rowsApart(n, { ...small, j: small.i }),
    },
  },
  {
    name: "11 copies ahead",
    idea: "The next three tiles are on their way while one is multiplied.",
    by: "warps",
    make: (n, { small, ahead }) => copiesAhead(n, small, ahead),
    others: {
      "256 tiles of 64 × 64": (n, { small, ahead }) => copiesAhead(n, { ...small, j: small.i }, ahead),
    },
  },
  {
    name: "12 operands ahead",
    idea: "What a group of products reads is in registers before the group before it begins.",
    by: "warps",
    make: (n, { small, ahead }) => operandsAhead(n, small, ahead),
    others: {
      "four warps of 32 × 64": (n, { small, ahead }) => operandsAhead(n, { ...small, j: [null, small.j[1] / 2, small.j[2] * 2] }, ahead),
    },
  },
  {
    name: "13 warpgroups",
    idea: "wgmma multiplies out of shared memory: no operand goes through registers.",
    by: "warpgroup",
    make: (n, { columns, ahead }) => products(n, columns, ahead),
  },
  {
    name: "14 a warpgroup copies",
    idea: "TMA copies, asked by a warpgroup of its own, so that those that multiply do nothing else.",
    by: "warpgroup",
    make: (n, { columns, few }) => copiesByTma(n, columns, { ...first, stages: few }),
  },
  {
    name: "15 eight tiles",
    idea: "As many tiles as shared memory holds are on their way.",
    by: "warpgroup",
    make: (n, { columns, many }) => copiesByTma(n, columns, { ...first, stages: many }),
  },
  {
    name: "16 products in flight",
    idea: "A product begins while the one before it still runs.",
    by: "warpgroup",
    make: (n, { columns, many }) => copiesByTma(n, columns, { ...first, stages: many, wait: 1 }),
  },
  {
    name: "17 stores by TMA",
    idea: "Sums go to shared memory, and from there in whole lines.",
    by: "warpgroup",
    make: (n, { columns, many }) => copiesByTma(n, columns, { ...first, stages: many, wait: 1, stores: "warpgroup" }),
    others: {
      "each warp its rows": (n, { columns, many }) => copiesByTma(n, columns, { ...first, stages: many, wait: 1, stores: "warp" }),
    },
  },
  {
    name: "18 order of blocks",
    idea: "Blocks that run together take tiles of the same rows and columns.",
    by: "warpgroup",
    make: (n, { columns, many, order }) => copiesByTma(n, columns, { stages: many, wait: 1, stores: "warpgroup", order }),
    others: {
      "stored by threads": (n, { columns, many, order }) => copiesByTma(n, columns, { ...first, stages: many, wait: 1, order }),
    },
  },
];
