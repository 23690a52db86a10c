/** The instructions that a pipeline multiplies with, and how the passes differ for each. */
import { mmaFamily, type ProductFamily, wmmaFamily } from "../intrinsics/index.ts";

/** What passes ask of an instruction. */
export interface InstructionRow {
  /** The intrinsics of its products. */
  readonly family: ProductFamily;
  /** Groups of summands in a tile, and tiles in shared memory, that its order of loads and products takes. IREE's rules. */
  readonly least: { readonly groups: number; readonly depth: number };
  /** Its loads find rows wherever a swizzle puts their pieces of 16 bytes: so rows need no padding. */
  readonly swizzled: boolean;
  /** It takes operands from shared memory alone, also where one warp reads them. */
  readonly fromShared: boolean;
  /** Whether operands of a group are loaded before the products of the group before it, where the author does not say. */
  readonly doubleBuffer: boolean;
  /** What becomes of the last iterations, where the author does not say. */
  readonly epilogue: "predicated" | "peeled";
}

export const instructions = {
  wmma: {
    family: wmmaFamily,
    least: { groups: 1, depth: 1 },
    swizzled: false,
    fromShared: false,
    doubleBuffer: false,
    epilogue: "predicated",
  },
  "mma.sync": {
    family: mmaFamily,
    least: { groups: 2, depth: 3 },
    swizzled: true,
    fromShared: true,
    doubleBuffer: true,
    epilogue: "peeled",
  },
} as const satisfies Readonly<Record<string, InstructionRow>>;
