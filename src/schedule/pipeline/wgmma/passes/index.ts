/** The passes to products of warpgroups, in order; `verify` comes before all of them, in ../plan.ts. */
import type { WgmmaPass } from "../working.ts";
import { beginSums } from "./begin-sums.ts";
import { copyOperands } from "./copy-operands.ts";
import { distributeToWarpgroups } from "./distribute-to-warpgroups.ts";
import { keepBlocks } from "./keep-blocks.ts";
import { specializeWarps } from "./specialize-warps.ts";
import { tileAndDistribute } from "./tile-and-distribute.ts";
import { toMatrixOps } from "./to-matrix-ops.ts";

export const wgmmaPasses: readonly WgmmaPass[] = [
  tileAndDistribute,
  distributeToWarpgroups,
  copyOperands,
  beginSums,
  toMatrixOps,
  keepBlocks,
  specializeWarps,
];
