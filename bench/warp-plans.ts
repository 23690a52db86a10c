// Plans of the pipeline for tensor cores that are worth timing, of products of single warps: f16, sums in registers, warps of 64 × 64. The likeliest to be fast first.
import type { TensorCorePipelineOptions } from "warpsmith/schedule";

type Given = Pick<TensorCorePipelineOptions, "tile" | "workgroup" | "depth"> & Partial<TensorCorePipelineOptions>;

const plan = (given: Given): TensorCorePipelineOptions => ({ storeStage: 1, promoteC: "registers", swizzle: 8, ...given });

/** Loads a group ahead, and the last trips behind the loop. */
const ahead = { doubleBuffer: true, epilogue: "peeled" } as const;

export const wmmaPlans: readonly TensorCorePipelineOptions[] = [
  plan({ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, ...ahead }),
  plan({ tile: [128, 128, 64], workgroup: [64, 2, 1], depth: 3, ...ahead }),
  plan({ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4 }),
  plan({ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 5, ...ahead }),
  plan({ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, doubleBuffer: true }),
  plan({ tile: [256, 128, 32], workgroup: [64, 4, 1], depth: 4, ...ahead }),
  plan({ tile: [128, 256, 32], workgroup: [128, 2, 1], depth: 4, ...ahead }),
  plan({ tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3, ...ahead }),
  plan({ tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, swizzle: 16, ...ahead }),
];

export const mmaSyncPlans: readonly TensorCorePipelineOptions[] = (
  [
    { tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4 },
    { tile: [128, 128, 64], workgroup: [64, 2, 1], depth: 3 },
    { tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 5 },
    { tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 3 },
    { tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, epilogue: "predicated" },
    { tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, doubleBuffer: false },
    { tile: [256, 128, 32], workgroup: [64, 4, 1], depth: 4 },
    { tile: [128, 256, 32], workgroup: [128, 2, 1], depth: 4 },
    { tile: [128, 256, 64], workgroup: [128, 2, 1], depth: 3 },
    { tile: [128, 128, 32], workgroup: [64, 2, 1], depth: 4, swizzle: 16 },
  ] satisfies readonly Given[]
).map((given) => plan({ ...given, instruction: "mma.sync" }));
