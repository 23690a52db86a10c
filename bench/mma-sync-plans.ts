// What `bench/mma-sync.ts` tries: tiles, stages and the order of things, for sums in f32 and in f16.
import type { MmaPlan } from "./mma-sync-kernel.ts";

/** What a product reads, sums in and writes. */
export interface Variant {
  readonly name: string;
  readonly out: "f16" | "f32";
  readonly plans: readonly MmaPlan[];
}

const usual = { sum: "f32", group: 8, ahead: true, spread: false, staged: false } as const;
type Given = Pick<MmaPlan, "tile" | "warps" | "stages"> & Partial<MmaPlan>;
const plan = (given: Given): MmaPlan => ({ ...usual, ...given });

/** Warps of 64 × 64: 128 registers of sums each. Four warps leave room for two blocks on a multiprocessor. */
const inF32: readonly MmaPlan[] = [
  plan({ tile: [128, 128, 32], warps: [2, 2], stages: 4 }),
  plan({ tile: [128, 128, 32], warps: [2, 2], stages: 5 }),
  plan({ tile: [128, 128, 32], warps: [2, 2], stages: 4, ahead: false }),
  plan({ tile: [128, 128, 32], warps: [2, 2], stages: 4, group: 16 }),
  plan({ tile: [128, 128, 64], warps: [2, 2], stages: 3 }),
  plan({ tile: [128, 128, 64], warps: [2, 2], stages: 3, spread: true }),
  plan({ tile: [256, 128, 32], warps: [4, 2], stages: 4 }),
  plan({ tile: [256, 128, 64], warps: [4, 2], stages: 3 }),
  plan({ tile: [256, 128, 64], warps: [4, 2], stages: 4, spread: true }),
  plan({ tile: [128, 256, 32], warps: [2, 4], stages: 4 }),
  plan({ tile: [128, 256, 64], warps: [2, 4], stages: 3 }),
  plan({ tile: [128, 256, 64], warps: [2, 4], stages: 4, spread: true }),
  plan({ tile: [128, 256, 64], warps: [2, 4], stages: 4, spread: true, group: 16 }),
  plan({ tile: [128, 128, 32], warps: [2, 4], stages: 4 }),
];

/** Sums in f16 take half the registers, so warps may have twice as much. */
const inF16: readonly MmaPlan[] = [
  plan({ tile: [128, 128, 32], warps: [2, 2], stages: 4 }),
  plan({ tile: [256, 128, 32], warps: [2, 2], stages: 4 }),
  plan({ tile: [128, 256, 32], warps: [2, 2], stages: 4 }),
  plan({ tile: [256, 128, 64], warps: [4, 2], stages: 4, spread: true }),
  plan({ tile: [256, 256, 32], warps: [4, 2], stages: 4 }),
  plan({ tile: [256, 256, 32], warps: [2, 4], stages: 4 }),
  plan({ tile: [256, 256, 64], warps: [2, 4], stages: 3, spread: true }),
];

export const variants: readonly Variant[] = [
  { name: "f16 to f32, sums in f32", out: "f32", plans: inF32 },
  { name: "f16 to f16, sums in f32", out: "f16", plans: inF32.map((p): MmaPlan => ({ ...p, staged: true })) },
  { name: "f16 to f16, sums in f16", out: "f16", plans: inF16.map((p): MmaPlan => ({ ...p, sum: "f16", staged: true })) },
];

/** The plans that have been best at some size (`npm run bench:mma-sync`): what schedules are measured against, sums like theirs. */
export const ceilingPlans = (sum: MmaPlan["sum"], out: Variant["out"]): readonly MmaPlan[] =>
  (sum === "f32"
    ? [
        plan({ tile: [128, 128, 32], warps: [2, 2], stages: 4 }),
        plan({ tile: [128, 128, 64], warps: [2, 2], stages: 3 }),
        plan({ tile: [128, 256, 64], warps: [2, 4], stages: 3 }),
      ]
    : [
        plan({ tile: [128, 128, 32], warps: [2, 2], stages: 4, sum }),
        plan({ tile: [256, 128, 64], warps: [4, 2], stages: 4, spread: true, sum }),
      ]
  ).map((one) => ({ ...one, staged: out === "f16" }));
