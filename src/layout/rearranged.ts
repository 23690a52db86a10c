import { isPowerOfTwo } from "./bits.ts";
import { reshape as reshapeLinear, transpose as transposeLinear } from "./compose.ts";
import type { LinearLayout } from "./linear-layout.ts";
import type { BitsLayout } from "./tile-kinds.ts";
import { linearLayout, type Spread, sharedOut, type TileLayout, warpgroupsOf } from "./tile-layout.ts";

/** A linear map as the type of a tile says it. */
export function bitsLayout({ inputs, outputs }: LinearLayout): BitsLayout {
  const bases = (name: string): readonly (readonly number[])[] => inputs.find((d) => d.name === name)?.bases ?? [];
  const extents = outputs.map(({ size }) => size);
  return { kind: "linear", register: bases("register"), lane: bases("lane"), warp: bases("warp"), extents };
}

const shareNothing = (tile: Spread): boolean => warpgroupsOf(tile) === 1 || sharedOut(tile) === undefined;

/** The layout of a tile whose dimensions stand in that order; undefined where warpgroups share it out. */
export function transposedLayout(tile: Spread, order: readonly number[]): TileLayout | undefined {
  const { layout } = tile;
  if (layout.kind === "blocked") {
    const moved = (list: readonly number[]): readonly number[] => order.map((d) => list[d] ?? 1);
    const { perThread, threads, warps } = layout;
    return {
      ...layout,
      perThread: moved(perThread),
      threads: moved(threads),
      warps: moved(warps),
      order: layout.order.map((d) => order.indexOf(d)),
    };
  }
  if (!shareNothing(tile)) return undefined;
  return bitsLayout(
    transposeLinear(
      linearLayout(tile),
      order.map((d) => `d${d}`),
    ),
  );
}

/** The layout of a tile that has the same elements, row by row, in another shape; undefined where no linear map is that. */
export function reshapedLayout(tile: Spread, shape: readonly number[]): TileLayout | undefined {
  if (!shareNothing(tile) || ![...tile.shape, ...shape].every(isPowerOfTwo)) return undefined;
  return bitsLayout(reshapeLinear(linearLayout(tile), Object.fromEntries(shape.map((n, d) => [`d${d}`, n]))));
}
