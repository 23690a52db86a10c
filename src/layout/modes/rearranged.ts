import { isPowerOfTwo } from "../bits.ts";
import { reshape as reshapeLinear, transpose as transposeLinear } from "../compose.ts";
import type { LinearLayout } from "../linear-layout.ts";
import type { BitsLayout } from "../tile-kinds.ts";
import { autoOfRank, isAuto, linearLayout, type Spread, sharedOut, type TileLayout, warpgroupsOf } from "../tile-layout.ts";

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
  if (isAuto(layout)) return layout;
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
  if (isAuto(tile.layout)) return shape.every(isPowerOfTwo) ? autoOfRank(tile.layout, shape.length) : undefined;
  if (!shareNothing(tile) || ![...tile.shape, ...shape].every(isPowerOfTwo)) return undefined;
  return bitsLayout(reshapeLinear(linearLayout(tile), Object.fromEntries(shape.map((n, d) => [`d${d}`, n]))));
}

/** The layout of two tiles that lie so as one, with a last dimension of 2 in each thread; undefined where no linear map is that. */
export function joinedLayout(tile: Spread): TileLayout | undefined {
  const { layout, shape } = tile;
  const rank = shape.length;
  if (isAuto(layout)) return autoOfRank(layout, rank + 1);
  if (layout.kind === "blocked")
    return {
      kind: "blocked",
      perThread: [...layout.perThread, 2],
      threads: [...layout.threads, 1],
      warps: [...layout.warps, 1],
      order: [rank, ...layout.order],
    };
  if (!shareNothing(tile) || !shape.every(isPowerOfTwo)) return undefined;
  const { register, lane, warp, extents } = bitsLayout(linearLayout(tile));
  const longer = (bases: BitsLayout["lane"]): BitsLayout["lane"] => bases.map((basis) => [...basis, 0]);
  const side = [...shape.map(() => 0), 1];
  const [registers, lanes, warps] = [[side, ...longer(register)], longer(lane), longer(warp)];
  return { kind: "linear", register: registers, lane: lanes, warp: warps, extents: [...extents, 2] };
}

/** The layout of either half of a tile whose last dimension is 2; undefined where a thread does not hold both elements of each pair. */
export function splitLayout(tile: Spread): TileLayout | undefined {
  const { layout, shape } = tile;
  const last = shape.length - 1;
  if (shape[last] === 2 && isAuto(layout)) return autoOfRank(layout, last);
  if (shape[last] !== 2 || !shareNothing(tile) || !shape.every(isPowerOfTwo)) return undefined;
  const { register, lane, warp, extents } = bitsLayout(linearLayout(tile));
  const along = [...register, ...lane, ...warp].filter((basis) => basis[last] !== 0);
  const [side] = along;
  const alone = side?.every((x, d) => d === last || x === 0) ?? false;
  if (along.length !== 1 || !alone || !register.some((basis) => basis === side)) return undefined;
  if (layout.kind === "blocked" && layout.threads[last] === 1 && layout.warps[last] === 1) {
    const [perThread, threads, warps] = [layout.perThread, layout.threads, layout.warps].map((list) => list.slice(0, last));
    return { ...layout, ...{ perThread, threads, warps }, order: layout.order.filter((d) => d !== last) } as TileLayout;
  }
  const shorter = (bases: BitsLayout["lane"]): BitsLayout["lane"] => bases.map((basis) => basis.slice(0, last));
  const rest = register.filter((basis) => basis !== side);
  const parts = { register: shorter(rest), lane: shorter(lane), warp: shorter(warp) };
  return { kind: "linear", ...parts, extents: extents.slice(0, last) };
}
