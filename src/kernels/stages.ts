import { type SharedView, sharedMemory } from "warpsmith";
import type { Geometry } from "./geometry.ts";
import { type Major, TILE_K } from "./plan.ts";
import type { HalfType } from "./problem.ts";

/** The ring's shared memory. */
export interface Stages {
  /** [stages, rows of a tile, K]. */
  readonly a: SharedView<HalfType, 3>;
  /** [stages, columns of a tile, K]. */
  readonly b: SharedView<HalfType, 3>;
  /** The panel of that number of a tile of the ring's input, in a stage: the first lies where A does, the others where B does. */
  panel(stage: number, number: number, height: number): SharedView<HalfType, 2>;
}

export function makeStages({ plan: { stages }, problem: { dtype, aMajor, bMajor }, tileM, tileN }: Geometry): Stages {
  "use kernel";
  const a = sharedMemory.alloc(dtype, [stages, tileM, TILE_K], { swizzle: "128B" });
  const b = sharedMemory.alloc(dtype, [stages, tileN, TILE_K], { swizzle: "128B" });
  const tilesIn = (room: SharedView<HalfType, 3>, major: Major, extent: number) =>
    major === "k" ? room : room.reinterpret(dtype, [stages, TILE_K, extent]).transpose(0, 2, 1);
  return Object.freeze({
    a: tilesIn(a, aMajor, tileM),
    b: tilesIn(b, bMajor, tileN),
    panel: (stage: number, number: number, height: number) =>
      number === 0 ? a.at(stage).subview([0, 0], [height, 64]) : b.at(stage).subview([(number - 1) * height, 0], [height, 64]),
  });
}
