// What `bench/schedules.ts` times: for each path a list of plans, the likeliest to be fast first.
import type { tensorCorePipeline } from "warpsmith/schedule";
import type { Fusion } from "./problem.ts";

/** The instructions that a schedule ends in. */
export const pathNames = ["wmma", "mma.sync", "wgmma"] as const;
export type PathName = (typeof pathNames)[number];
/** The type of a result. Operands are f16. */
export type Result = "f32" | "f16";
export const resultTypes: readonly Result[] = ["f32", "f16"];

/** Ladders: schedules of which each is the one before and something more. All of their steps are timed. */
export const ladderNames = ["ablation", "tutorial"] as const;
export type LadderName = (typeof ladderNames)[number];
export const isLadder = (path: PathName | LadderName): path is LadderName => ladderNames.some((name) => name === path);

/** The name of another way to a step of a ladder; the step that it is one to, or undefined for a step itself. */
export const wayName = (step: string, way: string): string => `${step}: ${way}`;
export const stepOf = (name: string): string | undefined => (name.includes(": ") ? name.slice(0, name.indexOf(": ")) : undefined);

/** What is computed. */
export type Work = Fusion | "product";

type Options = Parameters<typeof tensorCorePipeline>[1];

export interface SchedulePlan {
  readonly name: string;
  readonly options: Options;
  /** What products are summed in. A result in f16 of sums in f32 is converted by a block behind the product. Default: f32. */
  readonly sum?: Result;
  /** What it is for: a product, or one of the fusions. Default: all. */
  readonly works?: readonly Work[];
  /** Results that it is for. Default: all. */
  readonly results?: readonly Result[];
  /** Sizes that it is for. */
  readonly from?: number;
  readonly to?: number;
}

/** A plan with the name that its options give it. */
function planOf(path: string, options: Options, more: Omit<SchedulePlan, "name" | "options"> = {}): SchedulePlan {
  const { tile, workgroup, depth } = options;
  const name = [path, tile.join("x"), workgroup.join("x"), `depth ${depth}`, more.sum === "f16" ? "sums in f16" : ""];
  return { name: name.filter((part) => part !== "").join(" "), options, ...more };
}

const base = { storeStage: 1, swizzle: 8, promoteC: "registers" } as const;

/** Up to that size large tiles leave multiprocessors without work. */
const small = 1536;

type Range = Pick<SchedulePlan, "from" | "to" | "works" | "results">;
type Given = readonly [Partial<Options> & Pick<Options, "tile" | "workgroup" | "depth">, Range?];

/** What is said behind the tile, the threads and the depth where it is not the usual. */
const besides = (given: Given[0]): string => {
  const {
    tile: _,
    workgroup: __,
    depth: ___,
    instruction: ____,
    ...more
  } = given as Given[0] & { readonly instruction?: string };
  return Object.entries(more)
    .map(([name, value]) => `${name} ${value}`)
    .join(" ");
};
const plansOf = (
  path: string,
  given: readonly Given[],
  common: object,
  more: Omit<SchedulePlan, "name" | "options">,
): SchedulePlan[] =>
  given.map(([options, range]) => {
    const plan = planOf(path, { ...common, ...options } as Options, { ...more, ...range });
    return { ...plan, name: [plan.name, besides(options)].filter((x) => x !== "").join(" ") };
  });

/** Warps of 64 × 64. */
const wmmaGiven: readonly Given[] = [
  [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3 }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4 }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [64, 64, 64], workgroup: [64, 2, 1], depth: 4 }, { to: 2048 }],
];
/** Sums in f32, two blocks on a multiprocessor: K in steps of 64, so that there is half as often a barrier. */
const longSteps: readonly Given[] = [
  [{ tile: [256, 128, 64], workgroup: [64, 4, 1], depth: 3, doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [128, 128, 64], workgroup: [64, 2, 1], depth: 3, doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [128, 128, 64], workgroup: [64, 2, 1], depth: 3 }],
];
/** A tile for each multiprocessor of an H200, at 1024. */
const half: readonly Given[] = [
  [{ tile: [128, 64, 64], workgroup: [64, 2, 1], depth: 4, doubleBuffer: true, epilogue: "peeled" }, { to: small }],
  [{ tile: [64, 128, 64], workgroup: [64, 2, 1], depth: 4, doubleBuffer: true, epilogue: "peeled" }, { to: small }],
  [
    { tile: [128, 64, 64], workgroup: [64, 2, 1], depth: 4, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" },
    { to: small },
  ],
  [
    { tile: [64, 128, 64], workgroup: [64, 2, 1], depth: 4, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" },
    { to: small },
  ],
];
/**
 * Results in f16 go through shared memory, so that threads store 16 bytes each: from registers they store 4. Three blocks of 128 threads are on a
 * multiprocessor where their padded tiles leave room: not with a depth of 4.
 */
const throughShared: readonly Given[] = [
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [256, 128, 64], workgroup: [64, 4, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
];
/**
 * Warps of 64 × 128 or 128 × 64 read a quarter less of shared memory for a product: that is the limit where its rows are padded. Sums in f16 leave
 * registers for them.
 */
const largeWarps: readonly Given[] = [
  [{ tile: [256, 256, 32], workgroup: [128, 2, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [128, 256, 32], workgroup: [64, 2, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [256, 256, 32], workgroup: [64, 4, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
];
/**
 * Tiles of three times 64 rows or columns, where they divide a size: 108 of 192 × 256 at 2304 and 256 of 192 × 192 at 3072, two of which a multiprocessor
 * has at a time, fill the waves there.
 */
const threes: readonly Given[] = [
  [{ tile: [192, 256, 32], workgroup: [128, 2, 1], depth: 4, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [192, 192, 32], workgroup: [64, 2, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [384, 192, 32], workgroup: [64, 4, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
  [{ tile: [192, 128, 32], workgroup: [64, 2, 1], depth: 3, promoteC: "shared", doubleBuffer: true, epilogue: "peeled" }],
];
/**
 * Tiles that TMA copies for a warpgroup of its own, while eight warps multiply: each thread has registers for 192 sums. TMA fills what there is not, so that tiles need not
 * divide a size.
 */
const byTma = (m: number, n: number, depth: number, across: 2 | 4 = 2): Given => [
  { tile: [m, n, 64], workgroup: [32 * across, 8 / across, 1], depth, copies: "tma", pad: true },
  { works: ["product"], from: 256 },
];
const copiedByTma: readonly Given[] = [
  byTma(256, 192, 3),
  byTma(192, 224, 4),
  byTma(256, 160, 3),
  byTma(192, 192, 4, 4),
  byTma(192, 192, 4),
  byTma(192, 160, 4),
  byTma(256, 128, 4),
  byTma(128, 192, 5, 4),
  byTma(128, 128, 6, 4),
  byTma(128, 128, 6),
];
/** Sums in f16 leave registers for larger warps. */
const copiedByTmaToF16: readonly Given[] = [byTma(256, 224, 3), byTma(256, 192, 3), byTma(192, 224, 4), byTma(192, 192, 4, 4)];
/** WMMA sums in the type of its result: f16 results have sums in f16. */
const wmma: readonly SchedulePlan[] = [
  ...plansOf("wmma", [...half.slice(0, 2), ...copiedByTma, ...longSteps, ...wmmaGiven], base, { results: ["f32"] }),
  ...plansOf("wmma", [...half, ...threes, ...largeWarps, ...copiedByTmaToF16, ...throughShared, ...wmmaGiven], base, {
    results: ["f16"],
    sum: "f16",
  }),
];

const mmaGiven: readonly Given[] = [
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4 }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 5 }],
  [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3 }],
  [{ tile: [256, 128, 32], workgroup: [64, 4, 1], depth: 4 }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, doubleBuffer: false }],
];
const mmaThroughShared: readonly Given[] = [
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, promoteC: "shared" }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 3, promoteC: "shared" }],
  [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, promoteC: "shared" }],
  [{ tile: [256, 128, 64], workgroup: [64, 4, 1], depth: 4, promoteC: "shared" }],
];
const mmaThrees: readonly Given[] = [
  [{ tile: [192, 256, 32], workgroup: [128, 2, 1], depth: 4, promoteC: "shared" }],
  [{ tile: [192, 192, 32], workgroup: [64, 2, 1], depth: 3, promoteC: "shared" }],
  [{ tile: [192, 128, 32], workgroup: [64, 2, 1], depth: 4, promoteC: "shared" }],
];
const mmaLongSteps: readonly Given[] = [
  [{ tile: [128, 128, 64], workgroup: [64, 2, 1], depth: 3 }],
  [{ tile: [128, 64, 64], workgroup: [64, 2, 1], depth: 4 }, { to: small }],
  [{ tile: [64, 128, 64], workgroup: [64, 2, 1], depth: 4 }, { to: small }],
];
const mma = { ...base, instruction: "mma.sync" } as const;
const mmaSync: readonly SchedulePlan[] = [
  ...plansOf("mma.sync", [...mmaLongSteps, ...mmaGiven], mma, { results: ["f32"] }),
  ...plansOf("mma.sync", [...mmaThrees, ...mmaThroughShared, ...mmaGiven], mma, { results: ["f16"], sum: "f16" }),
];

/** Of an H200. */
const multiprocessors = 132;

/** Two warpgroups that multiply, where a tile is large enough; one that copies. */
const wgmma: readonly SchedulePlan[] = plansOf(
  "wgmma",
  [
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 16 }],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 8, wait: 0 }],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 16, wait: 0 }],
    // Results of f32 fill panels faster than TMA empties two of them; where warpgroups take turns, one stores while the other multiplies.
    [{ tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 6, blocks: 132, swizzle: 8, pingpong: true }],
    [{ tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 6, blocks: 132, swizzle: 16, pingpong: true }, { results: ["f32"] }],
    [
      { tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 5, blocks: 132, swizzle: 8, pingpong: true, panels: 4 },
      { results: ["f32"] },
    ],
    [
      { tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 6, blocks: 132, swizzle: 8, pingpong: true, wait: 0 },
      { results: ["f32"] },
    ],
    [
      { tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 6, blocks: 132, swizzle: 8, pingpong: true, stores: "warp" },
      { results: ["f32"] },
    ],
    [{ tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 6, blocks: 132, swizzle: 4, pingpong: true }, { results: ["f32"] }],
    [
      { tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, blocks: 132, swizzle: 8, wait: 0, panels: 5 },
      { results: ["f32"] },
    ],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, blocks: 132, swizzle: 16, panels: 4 }, { results: ["f32"] }],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, blocks: 132, swizzle: 8, wait: 0 }, { results: ["f32"] }],
    // Where A is computed in registers: taller tiles, and a stage less.
    [{ tile: [256, 128, 64], workgroup: [128, 2, 1], depth: 3, blocks: 132, swizzle: 8 }, { works: ["relu-input"] }],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, blocks: 132, swizzle: 16 }, { works: ["relu-input"] }],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 16, stores: "warp" }],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 16, stores: "thread" }],
    [{ tile: [256, 128, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 8, stores: "thread" }],
    [{ tile: [128, 192, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 8 }],
    [{ tile: [256, 192, 64], workgroup: [128, 2, 1], depth: 3, blocks: 132, swizzle: 8, stores: "thread" }],
    [{ tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 6, blocks: 132, swizzle: 8 }, { to: 8192 }],
    [{ tile: [128, 128, 64], workgroup: [128, 2, 1], depth: 3, swizzle: 8 }, { to: 4096 }],
    [{ tile: [128, 64, 64], workgroup: [128, 2, 1], depth: 8, swizzle: 8 }, { to: 2048 }],
    [{ tile: [64, 128, 64], workgroup: [128, 1, 1], depth: 8, swizzle: 8 }, { to: 2048 }],
    [{ tile: [64, 256, 64], workgroup: [128, 1, 1], depth: 4, swizzle: 8 }, { to: 2048 }],
  ],
  { instruction: "wgmma" },
  {},
);

type Turns = Extract<Options, { readonly pingpong?: boolean }>;
const takesTurns = (options: Options): options is Turns => "pingpong" in options && options.pingpong === true;

/** Where warpgroups take turns: each has a tile of its own, of 128 rows. */
const turned = (n: number, more: Partial<Options>, range: Range = {}): Given => [
  {
    tile: [128, n, 64],
    workgroup: [128, 2, 1],
    depth: 4,
    blocks: multiprocessors,
    swizzle: 8,
    pingpong: true,
    pad: true,
    ...more,
  },
  range,
];
/** With more sums than 128 a thread has no registers left for a matrix. */
const withoutMatrix: Range = { works: ["product", "relu", "add-constant"] };
const paddedTile = (m: number, n: number, warpgroups: number, depth: number, range: Range = {}): Given => {
  const tile = { tile: [m, n, 64], workgroup: [128, warpgroups, 1], depth, blocks: multiprocessors, swizzle: 8 } as const;
  return [{ ...tile, ...(n >= 192 ? { wait: 0 } : {}), pad: true }, range];
};
/** Tiles that do not divide most sizes: which of them are tried is a question of how they fill waves of blocks. */
const padded: readonly SchedulePlan[] = plansOf(
  "wgmma",
  [
    ...[192, 176, 160].flatMap((n) => [
      turned(n, { panels: 4 }, { ...withoutMatrix, results: ["f32"] }),
      ...(n === 192 ? [turned(n, { panels: 4, swizzle: 16 }, { ...withoutMatrix, results: ["f32"] })] : []),
      turned(n, {}, { ...withoutMatrix, results: ["f16"] }),
    ]),
    turned(200, {}, withoutMatrix),
    turned(144, { depth: 4 }, withoutMatrix),
    ...[240, 224, 208, 192, 176, 160, 144].map((n) => paddedTile(128, n, 2, 4)),
    // With 200 sums a thread has no registers left for a matrix.
    paddedTile(256, 200, 2, 3, { works: ["product", "relu", "add-constant"] }),
    [
      { tile: [256, 200, 64], workgroup: [128, 2, 1], depth: 3, blocks: multiprocessors, swizzle: 16, wait: 0, pad: true },
      { works: ["relu", "add-constant"] },
    ],
    [
      {
        tile: [128, 192, 64],
        workgroup: [128, 2, 1],
        depth: 4,
        blocks: multiprocessors,
        swizzle: 8,
        wait: 0,
        pad: true,
        panels: 4,
      },
      { results: ["f32"] },
    ],
    ...[192, 176, 160].map((n) => paddedTile(256, n, 2, 3)),
    ...[192, 176, 160, 144].map((n) => paddedTile(192, n, 3, 3)),
    ...[128, 96].map((n) => paddedTile(192, n, 3, 4)),
    paddedTile(256, 128, 4, 3),
  ],
  { instruction: "wgmma" },
  {},
);

export const paths: Readonly<Record<PathName, readonly SchedulePlan[]>> = {
  wmma,
  "mma.sync": mmaSync,
  wgmma: [...padded, ...wgmma],
};

/**
 * About the cycles of a multiprocessor where each block computes tile after tile: products, and what the end of a tile keeps the tensor cores waiting. As
 * src/kernels/matmul/plan/choose-plan.ts has it.
 */
function cyclesOf({ options }: SchedulePlan, size: number): number {
  const [m = 1, n = 1] = options.tile;
  const waves = Math.ceil((Math.ceil(size / m) * Math.ceil(size / n)) / multiprocessors);
  const trip = ((m * n) / 32) * (1 + 4 / n + 2 / m);
  return waves * (Math.ceil(size / 64) * trip + (takesTurns(options) ? 300 : 700 + (m * n) / 14));
}

/** Below that nothing is timed, and all plans are checked. */
const leastTimed = 1024;
const mostPadded = 9;
/** How much slower a plan may be by `cyclesOf` than the best of others, and is tried. */
const tolerance = 1.015;

/** Of tiles that do not divide a size those that may be faster than what does, the fastest first. */
function worthPadding(plans: readonly SchedulePlan[], { size, work }: Wanted): readonly SchedulePlan[] {
  // What is computed of A is not padded.
  const tries = work === "relu-input" ? [] : plans.filter((plan) => padded.includes(plan));
  if (size < leastTimed) return tries;
  const least = Math.min(...plans.filter((plan) => !padded.includes(plan)).map((plan) => cyclesOf(plan, size)));
  return tries
    .filter((plan) => cyclesOf(plan, size) < least * tolerance)
    .toSorted((a, b) => cyclesOf(a, size) - cyclesOf(b, size))
    .slice(0, mostPadded);
}

/**
 * Of products of warps: about how long a tile takes for an element, beside others. With sums in f16 as measured at 2304, 3072, 3840 and 4608; with those of
 * f32, and by TMA, medians of what was measured from 2048 to 8192. The first of a path are tried first where waves are filled as well.
 */
const perElement: Readonly<Record<string, number>> = {
  ...{ "wmma 256x256x32": 350, "wmma 192x256x32": 364, "wmma 128x256x32": 395, "wmma 256x128x64": 420, "wmma 128x256x64": 421 },
  ...{ "wmma 192x192x32": 442, "wmma 192x128x32": 451, "wmma 384x192x32": 471, "wmma 128x128x32": 470, "wmma 64x64x64": 600 },
  ...{ "mma.sync 128x256x64": 364, "mma.sync 256x128x64": 363, "mma.sync 192x128x32": 375, "mma.sync 192x256x32": 370 },
  ...{ "mma.sync 128x128x32": 396, "mma.sync 256x128x32": 380, "mma.sync 192x192x32": 460 },
  ...{ "wmma 256x192x64 tma": 378, "wmma 256x224x64 tma": 364, "wmma 192x224x64 tma": 417, "wmma 192x192x64 tma": 377 },
};
const perElementToF32: Readonly<Record<string, number>> = {
  ...{ "wmma 256x192x64 tma": 563, "wmma 192x224x64 tma": 573, "wmma 256x160x64 tma": 572, "wmma 192x192x64 tma": 589 },
  ...{ "wmma 192x160x64 tma": 597, "wmma 256x128x64 tma": 627, "wmma 128x192x64 tma": 629, "wmma 128x128x64 tma": 769 },
  ...{ "wmma 256x128x64": 627, "wmma 128x256x64": 656, "wmma 128x128x64": 697, "wmma 128x128x32": 790, "wmma 64x64x64": 900 },
};

/** Of products of warps those first that should fill the multiprocessors' waves best. */
function byWaves(plans: readonly SchedulePlan[], size: number): readonly SchedulePlan[] {
  const cost = ({ name, sum, options }: SchedulePlan): number => {
    const copied = "copies" in options ? [options.copies] : [];
    const each = (sum === "f16" ? perElement : perElementToF32)[[...name.split(" ").slice(0, 2), ...copied].join(" ")];
    const [m = 1, n = 1] = options.tile;
    return each === undefined ? 0 : each * m * n * Math.ceil((Math.ceil(size / m) * Math.ceil(size / n)) / multiprocessors);
  };
  const ordered = size < leastTimed ? plans : plans.toSorted((a, b) => cost(a) - cost(b));
  // Smaller tiles, which are for small products alone, fill those best.
  return size > small ? ordered : ordered.toSorted((a, b) => Number(a.to === undefined) - Number(b.to === undefined));
}

const byLikelihood = (plans: readonly SchedulePlan[], wanted: Wanted): readonly SchedulePlan[] => [
  ...worthPadding(plans, wanted),
  ...byWaves(
    plans.filter((plan) => !padded.includes(plan)),
    wanted.size,
  ),
];

/** A product that plans are for. */
interface Wanted {
  readonly size: number;
  readonly result: Result;
  readonly work: Work;
}

/** Whether a plan is for such a product. A tile that does not divide the size needs `pad`. */
function fits(plan: SchedulePlan, { size, result, work }: Wanted): boolean {
  const { options, results, works, from = 0, to = Number.POSITIVE_INFINITY } = plan;
  const divides = options.tile.slice(-3).every((extent) => size % extent === 0) || ("pad" in options && options.pad === true);
  const [m = 1, n = 1] = options.tile;
  const tiles = Math.ceil(size / m) * Math.ceil(size / n);
  // Where warpgroups take turns, a block has more tiles than one.
  if (size >= leastTimed && takesTurns(options) && tiles <= (options.blocks ?? tiles)) return false;
  const isFor = (works === undefined || works.includes(work)) && (results === undefined || results.includes(result));
  return isFor && size >= from && size <= to && divides;
}

/** At sizes at which plans are only checked, a block has several tiles only where it is alone. */
const withOneBlock = (plan: SchedulePlan): SchedulePlan => ({ ...plan, options: { ...plan.options, blocks: 1 } as Options });

const knownFirst = (plans: readonly SchedulePlan[], known: readonly string[]): readonly SchedulePlan[] => {
  const place = ({ name }: SchedulePlan): number => (known.includes(name) ? known.indexOf(name) : known.length);
  return plans.toSorted((a, b) => place(a) - place(b));
};

/** The plans of a path that are tried: the first `most` that fit, those of `known` before all others. */
export const plansFor = (
  plans: readonly SchedulePlan[],
  wanted: Wanted,
  most: number,
  known: readonly string[] = [],
): readonly SchedulePlan[] =>
  knownFirst(
    byLikelihood(
      plans.filter((plan) => fits(plan, wanted)),
      wanted,
    ),
    known,
  )
    .slice(0, most)
    .map((plan) => (wanted.size < leastTimed && takesTurns(plan.options) ? withOneBlock(plan) : plan));

/** Each with the options of those before it, and more. */
function stepByStep(
  first: Options,
  steps: readonly (readonly [name: string, more: Partial<Options>])[],
): readonly SchedulePlan[] {
  let options = first;
  return steps.map(([name, more]) => {
    options = { ...options, ...more } as Options;
    return { name, options, results: ["f32"] };
  });
}

/**
 * What the passes of the pipelines gain, one after the other, at one size: each is the step before with one thing more, from WMMA over mma.sync to wgmma.
 */
export const ablation: readonly SchedulePlan[] = [
  ...stepByStep({ ...base, tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 1, padding: 0, copyBits: 16, swizzle: 1 }, [
    ["tensor cores, from global memory", { promoteOperands: "global" }],
    ["+ tiles in shared memory", { promoteOperands: "shared" }],
    ["+ padded rows", { padding: 16 }],
    ["+ copies of 128 bits", { copyBits: 128 }],
    ["+ pipeline of four stages", { depth: 4 }],
    ["+ blocks in groups of rows", { swizzle: 8 }],
    ["+ operands a group ahead", { doubleBuffer: true, epilogue: "peeled" }],
    ["+ tiles of 128 x 256", { tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3 }],
  ]),
  ...stepByStep({ ...mma, tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3 }, [["mma.sync, swizzled rows", {}]]),
  ...stepByStep(
    { instruction: "wgmma", tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, swizzle: 8, wait: 0, stores: "thread" },
    [
      ["wgmma, TMA, a warpgroup that copies", {}],
      ["+ results by TMA", { stores: "warpgroup" }],
      ["+ blocks that stay", { blocks: 132 }],
      ["+ a product on its way", { wait: 1, swizzle: 16 }],
    ],
  ),
];
