import { display, noSpans, type Spans } from "../base/diag/index.ts";
import type { Limits, Target } from "../base/target.ts";
import type { Dim, Dim3 } from "../base/types.ts";
import type { LoadedModule } from "./backend.ts";
import { fail } from "./errors/index.ts";

const axes = ["x", "y", "z"] as const;

/** Every extent written out; missing ones are 1. `what` begins a sentence: "The grid". W7015. */
export function normalizeDim(what: string, dim: Dim, spans: Spans = noSpans): Dim3 {
  const extents: readonly unknown[] = typeof dim === "number" ? [dim] : Array.isArray(dim) ? dim : [];
  const good = extents.length >= 1 && extents.length <= 3 && extents.every((n) => Number.isSafeInteger(n) && Number(n) >= 1);
  if (!good) fail("W7015", { what, given: display(dim) }, spans);
  const [x = 1, y = 1, z = 1] = extents.map(Number);
  return [x, y, z];
}

export interface LaunchShape {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly cluster: Dim3;
  readonly nonPortableCluster?: boolean | undefined;
  /** Static and dynamic shared memory together, in bytes. */
  readonly sharedBytes: number;
}

/** Refuses what devices of a target cannot launch. W7016–W7021. */
export function checkLaunchShape(shape: LaunchShape, { limits, computeCapability }: Target, spans: Spans = noSpans): void {
  const { grid, block, cluster, sharedBytes } = shape;
  const threads = block[0] * block[1] * block[2];
  if (threads > limits.threads || block[2] > limits.blockZ) {
    const { threads: limit, blockZ: limitZ } = limits;
    fail("W7017", { block, threads, limit, limitZ }, spans);
  }
  checkCluster(cluster, shape.nonPortableCluster === true, limits, spans);
  for (const [i, axis] of axes.entries()) {
    const extent = grid[i] ?? 1;
    const limit = limits.grid[i] ?? 1;
    if (extent > limit) fail("W7016", { grid, axis, extent, limit }, spans);
    if (extent % (cluster[i] ?? 1) !== 0) fail("W7018", { grid, cluster, axis }, spans);
  }
  if (!Number.isSafeInteger(sharedBytes) || sharedBytes < 0) fail("W7021", { bytes: sharedBytes }, spans);
  if (sharedBytes <= limits.sharedBytes) return;
  fail("W7020", { bytes: sharedBytes, limit: limits.sharedBytes, capability: computeCapability.join(".") }, spans);
}

function checkCluster(cluster: Dim3, nonPortable: boolean, limits: Limits, spans: Spans): void {
  const blocks = cluster[0] * cluster[1] * cluster[2];
  const { portableCluster: portable, cluster: most } = limits;
  const limit = nonPortable ? most : portable;
  if (blocks > limit) fail("W7019", { cluster, blocks, limit, portable, most }, spans);
}

/** Refuses a block that the compiled kernel's registers leave no room for. W7024. */
export function checkFits(module: LoadedModule, block: Dim3, spans: Spans = noSpans): void {
  if (block[0] * block[1] * block[2] <= module.maxThreads) return;
  fail("W7024", { block, kernel: module.kernel, registers: module.registers, limit: module.maxThreads }, spans);
}
