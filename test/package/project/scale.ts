// Indexed access that may be undefined is refused by the project's own tsc: `.at` reads and writes without it.
import { blockIdx, helper, kernel, type Static, staticRange, type Tensor, threadIdx } from "warpsmith";

/** How a value is put between its bounds. */
export enum Edge {
  Clip,
  Keep,
}

const clip = helper((v: number, low: number, high: number) => Math.min(Math.max(v, low), high));

function shaped(v: number, edge: Edge): number {
  "use kernel";
  return edge === Edge.Clip ? clip(v, 0, 1) : v;
}

export const scale = kernel(
  { block: 64, grid: (x) => x.shape[0] / 128 },
  function scale(x: Tensor<"f32", 1>, factor: Static<number>, edge: Static<Edge>) {
    for (const half of staticRange(2)) {
      const place = x.at(blockIdx.x * 128 + half * 64 + threadIdx.x);
      place.store(shaped(place.load() * factor, edge));
    }
  },
);
