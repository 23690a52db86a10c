import { type LoopRef, Schedule } from "warpsmith/schedule";
import { programOf } from "./program-of.ts";

/** Z [32, 16] = X [32, 64] times the transpose of Y [16, 64]. */
const product = programOf(`import { f32 } from "warpsmith";
import { block, type Buffer, grid, init, program, reduce, spatial } from "warpsmith/schedule";
export const doubled = program({ X: [32, 64], Y: [16, 64], Z: [32, 16] }, function doubled(X: Buffer<"f16", 2>, Y: Buffer<"f16", 2>, Z: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(32, 16, 64))
    block("product", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => { init(() => { Z[vi][vj] = 0; }); Z[vi][vj] += f32(X[vi][vk]) * f32(Y[vj][vk]); });
});`);

/** How the copies of Y are bound: `into` to registers, `from` out of them. */
export interface Copies {
  readonly into: readonly [inner: number, tag: "threadIdx.x"];
  readonly from: readonly [inner: number, tag: "threadIdx.x"];
}
const alike: Copies = { into: [32, "threadIdx.x"], from: [32, "threadIdx.x"] };

/**
 * Each thread makes a row of Z; all of them copy a tile of Y, the next one into registers while this one is computed. The copies stand in the loop
 * over the threads and are shared out among them.
 */
export function doubleBuffered(bound: "before" | "after", copies: Copies = alike): Schedule {
  const s = new Schedule(product);
  const block = s.getBlock("product");
  const shared = s.cacheRead(block, "Y", "shared");
  const local = s.cacheRead(shared, "Y", "local");
  const [i, j, k] = s.getLoops(block) as [LoopRef, LoopRef, LoopRef];
  const [k0] = s.split(k, [null, 16]) as [LoopRef];
  s.reorder(k0, j);
  s.computeAt(shared, k0);
  s.computeAt(local, k0);
  s.bind(i, "threadIdx.x");
  const overlap = (): void => s.pipeline(k0, { stages: [0, 0, 1], order: [0, 2, 1] });
  if (bound === "after") overlap();
  for (const b of s.getBlocks()) {
    const how = b.name.startsWith("Y_local") ? copies.into : b.name.startsWith("Y_shared") ? copies.from : undefined;
    if (!how) continue;
    const [rows, columns] = s.getLoops(b).slice(-2) as [LoopRef, LoopRef];
    const [, inner] = s.split(s.fuse(rows, columns), [null, how[0]]) as [LoopRef, LoopRef];
    s.bind(inner, how[1]);
  }
  if (bound === "before") overlap();
  return s;
}
