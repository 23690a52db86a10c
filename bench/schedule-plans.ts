// What `bench/schedules.ts` times: for each path a list of plans, the likeliest to be fast first.
import type { tensorCorePipeline } from "warpsmith/schedule";

/** The instructions that a schedule ends in. */
export const pathNames = ["wmma", "mma.sync", "wgmma"] as const;
export type PathName = (typeof pathNames)[number];
/** The type of a result. Operands are f16. */
export type Result = "f32" | "f16";
export const resultTypes: readonly Result[] = ["f32", "f16"];

type Options = Parameters<typeof tensorCorePipeline>[1];

export interface SchedulePlan {
  readonly name: string;
  readonly options: Options;
  /** What products are summed in. A result in f16 of sums in f32 is converted by a block behind the product. Default: f32. */
  readonly sum?: Result;
  /** Results that it is for. Default: all. */
  readonly results?: readonly Result[];
  /** Sizes that it is for. */
  readonly from?: number;
  readonly to?: number;
}

/** A plan with the name that its options give it. */
export function planOf(path: string, options: Options, more: Omit<SchedulePlan, "name" | "options"> = {}): SchedulePlan {
  const { tile, workgroup, depth } = options;
  const name = [path, tile.join("x"), workgroup.join("x"), `depth ${depth}`, more.sum === "f16" ? "sums in f16" : ""];
  return { name: name.filter((part) => part !== "").join(" "), options, ...more };
}

const base = { storeStage: 1, swizzle: 8, promoteC: "registers" } as const;

const wmmaGiven: readonly (readonly [Pick<Options, "tile" | "workgroup" | "depth">, Pick<SchedulePlan, "from" | "to">?])[] = [
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4 }],
  [{ tile: [128, 128, 64], workgroup: [64, 2, 1], depth: 3 }],
  [{ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 3 }],
  [{ tile: [64, 64, 64], workgroup: [64, 2, 1], depth: 4 }, { to: 2048 }],
  [{ tile: [256, 128, 32], workgroup: [64, 4, 1], depth: 3 }],
];
/** WMMA sums in the type of its result: f16 results have sums in f16. */
const wmma: readonly SchedulePlan[] = [
  ...wmmaGiven.map(([given, more]) => planOf("wmma", { ...base, ...given }, { results: ["f32"], ...more })),
  ...wmmaGiven.map(([given, more]) => planOf("wmma", { ...base, ...given }, { results: ["f16"], sum: "f16", ...more })),
];
const mmaSync: readonly SchedulePlan[] = [];
const wgmma: readonly SchedulePlan[] = [];

export const paths: Readonly<Record<PathName, readonly SchedulePlan[]>> = { wmma, "mma.sync": mmaSync, wgmma };

/** Whether a plan is for such a product. A tile that does not divide the size needs `pad`. */
function fits(
  { options, results, from = 0, to = Number.POSITIVE_INFINITY }: SchedulePlan,
  size: number,
  result: Result,
): boolean {
  const divides = options.tile.slice(-3).every((extent) => size % extent === 0) || ("pad" in options && options.pad === true);
  return (results === undefined || results.includes(result)) && size >= from && size <= to && divides;
}

/** The plans of a path that are tried at a size: the first `most` that fit. */
export const plansFor = (plans: readonly SchedulePlan[], size: number, result: Result, most: number): readonly SchedulePlan[] =>
  plans.filter((plan) => fits(plan, size, result)).slice(0, most);

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
