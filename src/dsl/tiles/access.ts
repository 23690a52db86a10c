import type { DType } from "../../base/types.ts";
import { first, isPowerOf2 } from "../../ir/arith.ts";
import type { Op, TileType, Value } from "../../ir/index.ts";
import { registerType } from "../../ir/index.ts";
import { elementsPerThread, isAuto, type TileLayout, warpgroupsOf, warpsOf } from "../../layout/index.ts";
import { lift } from "../numbers/lift.ts";
import { failHere } from "../trace/fail-here.ts";
import { openLayout } from "../trace/open-tiles.ts";
import { runningHere, threadsOf, warpsHere } from "../trace/partition.ts";
import { tileOf } from "../trace/staged-tile.ts";
import type { Trace } from "../trace/trace.ts";
import { type Layout, readLayout, textOf, writtenLayout } from "./layout.ts";

/** The warpgroups that run where an op on a tile stands, where it matters which: the number of the first, and how many. W6116. */
export function warpgroupsHere(trace: Trace, tile: { readonly layout: TileLayout }): readonly number[] | undefined {
  const { first: from, count } = runningHere(trace);
  if (isAuto(tile.layout)) return [from, count];
  const sharing = warpgroupsOf(tile);
  if (sharing > 1 && count % sharing !== 0) failHere("W6116", { wanted: sharing, there: count });
  return sharing > 1 || (warpsOf(tile) !== undefined && from > 0) ? [from, count] : undefined;
}

/** The same for what makes warps meet. */
export const warpgroupsMeeting = (trace: Trace): readonly number[] => {
  const { first: from, count } = runningHere(trace);
  return [from, count];
};

const isExtent = (n: unknown): n is number => typeof n === "number" && Number.isInteger(n) && n > 0;

/** The type of a tile of this shape that lies so, here. W6204, W6205, W6210, W6216. */
export function tileTypeHere(trace: Trace, dtype: DType, shape: readonly unknown[], layout: Layout, what: string): TileType {
  const extents = shape.map((n) =>
    isExtent(n) ? n : failHere("W6210", { shape: shape.map(shown).join(", "), why: "its extents are not all static" }),
  );
  if (layout.rank !== extents.length) failHere("W6205", { rank: layout.rank, what, dims: extents.length });
  const type: TileType = { kind: "tile", dtype, shape: extents, layout: textOf(layout) };
  checkWarps(trace, type);
  const isWgmma = warpsOf(type) === undefined;
  const odd = extents.find((n) => !isPowerOf2(n));
  if (odd !== undefined && !isWgmma) failHere("W6210", { shape: extents.join(", "), why: `${odd} is no power of two` });
  if (isWgmma && !liesAsWgmma(type))
    failHere("W6210", { shape: extents.join(", "), why: "wgmma has 64 rows in each warpgroup, and columns in 8s" });
  return type;
}

/** The layout that the author gave, or where there is none, one that a pass chooses. W6212, W6216. */
export function layoutOrOpen(trace: Trace, given: unknown, rank: number, what: string): Layout {
  if (given !== undefined) return readLayout(given, what);
  spreadWarps(trace);
  return writtenLayout(openLayout(trace, rank));
}

const shown = (n: unknown): string => (typeof n === "number" ? String(n) : "?");

function liesAsWgmma(type: TileType): boolean {
  try {
    return elementsPerThread(type) > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The warps that a tile without a layout of its own is spread over. W6216. */
export function spreadWarps(trace: Trace): number {
  const warps = warpsHere(trace);
  const whole = threadsOf(trace) % 32 === 0;
  return whole && isPowerOf2(warps) ? warps : failHere("W6216", { threads: whole ? 32 * warps : threadsOf(trace) });
}

/** W6122, W6204, W6216. */
function checkWarps(trace: Trace, type: TileType): void {
  const warps = warpsOf(type);
  const here = warpsHere(trace);
  if (warps === undefined) {
    if (threadsOf(trace) % 128 !== 0) failHere("W6122", { threads: threadsOf(trace) });
    warpgroupsHere(trace, type);
  } else if (threadsOf(trace) % 32 !== 0) failHere("W6216", { threads: threadsOf(trace) });
  else if (warps !== here) failHere("W6204", { layout: warps, here });
}

/** What a load of a tile takes beside the layout. */
export interface Loading {
  readonly other?: unknown;
  readonly unmasked?: boolean | undefined;
}

/** A tile from a view. */
export function loadTile(trace: Trace, view: Value, type: TileType, { other, unmasked }: Loading = {}): never {
  const instead = other === undefined ? undefined : lift(other, registerType(type.dtype), "`other`");
  const attrs = { access: "", along: undefined, unmasked, warpgroups: warpgroupsHere(trace, type) } as const;
  return tileOf(first(trace.emit("tile.load", { view, other: instead }, attrs, { types: [type] })), type);
}

/** A view that a tile is stored to: its extents are static, or it may end where a tensor does. */
export interface Destination {
  readonly dtype: DType;
  readonly extents: readonly (number | undefined)[];
  /** Elements outside of it are left out, so that it may be smaller than the tile. */
  readonly clips: boolean;
  checked(trace: Trace): Value;
}

interface TileValue {
  readonly value: Value;
  readonly type: TileType;
}

/** W6118, W6119. */
function checkDestination({ type }: TileValue, to: Destination): void {
  if (registerType(to.dtype) !== registerType(type.dtype)) failHere("W6118", { from: type.dtype, to: to.dtype });
  const { shape } = type;
  const fits = to.extents.every((n, d) => (to.clips ? n === undefined || n <= (shape[d] ?? 0) : n === shape[d]));
  if (to.extents.length !== shape.length || !fits)
    failHere("W6119", { tile: shape.join(", "), dst: to.extents.map(shown).join(", ") });
}

const accessHere = (trace: Trace, type: TileType, unmasked: boolean | undefined) =>
  ({ access: "", along: undefined, unmasked, warpgroups: warpgroupsHere(trace, type) }) as const;

/** W6118, W6119. */
export function storeTile(trace: Trace, tile: TileValue, to: Destination, unmasked?: boolean): void {
  checkDestination(tile, to);
  const attrs = accessHere(trace, tile.type, unmasked);
  trace.emit("tile.store", { tile: tile.value, view: to.checked(trace) }, attrs);
}

/** Combines a tile with what is in memory, element by element. W6118, W6119. */
export function combineTile(
  trace: Trace,
  tile: TileValue,
  to: Destination,
  how: Pick<Op<"tile.combine">["attrs"], "op" | "scope">,
  unmasked?: boolean,
): void {
  checkDestination(tile, to);
  const attrs = { ...accessHere(trace, tile.type, unmasked), ...how };
  trace.emit("tile.combine", { tile: tile.value, view: to.checked(trace) }, attrs);
}
