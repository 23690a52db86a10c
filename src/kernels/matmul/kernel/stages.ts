import { fence, range, type SharedView, sharedMemory, warpgroup } from "warpsmith";
import { TILE_K } from "../plan/plan.ts";
import type { HalfType } from "../problem/problem.ts";
import type { Geometry } from "./geometry.ts";

/** The pipeline's shared memory. */
export interface Stages {
  /** [stages, rows of a tile, K]. */
  readonly a: SharedView<HalfType, 3>;
  /** [stages, columns of a tile or of whole panels, those of a second matrix behind those of the first, K]. */
  readonly b: SharedView<HalfType, 3>;
  /** The panel of that number of a tile of the pipeline's input, in a stage: the first lies where A does, the others where B does. */
  panel(stage: number, number: number, height: number): SharedView<HalfType, 2>;
}

export function makeStages({ plan, problem: { dtype, aMajor, bMajor }, tileM, columns, matrices }: Geometry): Stages {
  "use kernel";
  const { stages } = plan;
  const a = sharedMemory.alloc(dtype, [stages, tileM, TILE_K], { swizzle: "128B" });
  const b = sharedMemory.alloc(dtype, [stages, columns.room * matrices, TILE_K], { swizzle: "128B" });
  /** The same bytes, lying along M or N. */
  const along = (room: SharedView<HalfType, 3>) => room.reinterpret(dtype, [stages, TILE_K, room.shape[1]]).transpose(0, 2, 1);
  return {
    a: aMajor === "k" ? a : along(a),
    b: bMajor === "k" ? b : along(b),
    panel: (stage: number, number: number, height: number) =>
      number === 0 ? a.at(stage).subview([0, 0], [height, 64]) : b.at(stage).subview([(number - 1) * height, 0], [height, 64]),
  };
}

/** Zeros where no rows of A will ever be loaded, by the consumers, each its part. Before they meet. */
export function clearRest(stages: Stages, { plan, tileM, loaded }: Geometry, wg: number): void {
  "use kernel";
  if (loaded === tileM) return;
  const rest = tileM - loaded;
  const chunks = TILE_K / 8;
  const zeros = Array.from({ length: 8 }, () => 0);
  for (const i of range(wg * 128 + warpgroup.thread, plan.stages * rest * chunks, 128 * plan.consumers)) {
    const row = Math.trunc(i / chunks);
    stages.a.at(Math.trunc(row / rest), loaded + (row % rest), (i % chunks) * 8).store(zeros);
  }
  fence.proxyAsync({ space: "shared::cta" });
}
