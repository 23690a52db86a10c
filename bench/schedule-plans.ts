// What `bench/schedules.ts` times: for each path a list of plans, the likeliest to be fast first.
import type { tensorCorePipeline } from "warpsmith/schedule";
import type { Fusion } from "./problem.ts";

/** The instructions that a schedule ends in. */
export const pathNames = ["wmma", "mma.sync", "wgmma"] as const;
export type PathName = (typeof pathNames)[number];
/** The type of a result. Operands are f16. */
export type Result = "f32" | "f16";
export const resultTypes: readonly Result[] = ["f32", "f16"];

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

type Range = Pick<SchedulePlan, "from" | "to" | "works">;
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
/** WMMA sums in the type of its result: f16 results have sums in f16. */
const wmma: readonly SchedulePlan[] = [
  ...plansOf("wmma", wmmaGiven, base, { results: ["f32"] }),
  ...plansOf("wmma", wmmaGiven, base, { results: ["f16"], sum: "f16" }),
];

const mmaGiven: readonly Given[] = [
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4 }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 5 }],
  [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3 }],
  [{ tile: [256, 128, 32], workgroup: [64, 4, 1], depth: 4 }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, doubleBuffer: false }],
];
const mma = { ...base, instruction: "mma.sync" } as const;
const mmaSync: readonly SchedulePlan[] = [
  ...plansOf("mma.sync", mmaGiven, mma, { results: ["f32"] }),
  ...plansOf("mma.sync", mmaGiven, mma, { results: ["f16"], sum: "f16" }),
];

/** Two warpgroups that multiply, where a tile is large enough; one that copies. */
const wgmma: readonly SchedulePlan[] = plansOf(
  "wgmma",
  [
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 16 }],
    [{ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 4, blocks: 132, swizzle: 8, wait: 0 }],
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

export const paths: Readonly<Record<PathName, readonly SchedulePlan[]>> = { wmma, "mma.sync": mmaSync, wgmma };

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
  const isFor = (works === undefined || works.includes(work)) && (results === undefined || results.includes(result));
  return isFor && size >= from && size <= to && divides;
}

/** The plans of a path that are tried: the first `most` that fit. */
export const plansFor = (plans: readonly SchedulePlan[], wanted: Wanted, most: number): readonly SchedulePlan[] =>
  plans.filter((plan) => fits(plan, wanted)).slice(0, most);

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
 * What the passes of a pipeline gain, one after the other, at one size: each is the step before with one thing more. The last of WMMA is the
 * plan that `wmma` has first; behind it come those of the other paths.
 */
export const ablation: readonly SchedulePlan[] = [
  ...stepByStep({ ...base, tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 1, padding: 0, copyBits: 16, swizzle: 1 }, [
    ["tensor cores, from global memory", { promoteOperands: "global" }],
    ["+ tiles in shared memory", { promoteOperands: "shared" }],
    ["+ padded rows", { padding: 16 }],
    ["+ copies of 128 bits", { copyBits: 128 }],
    ["+ pipeline of four stages", { depth: 4 }],
    ["+ blocks in groups of rows", { swizzle: 8 }],
  ]),
];
