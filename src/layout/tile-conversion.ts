/** How a tile gets from one layout to another, and what that costs. */
import { type Conversion, conversion } from "./conversion.ts";
import {
  elementsPerThread,
  layoutText,
  linearLayout,
  partShape,
  type Spread,
  sharedOut,
  type TileLayout,
  warpgroupsOf,
  warpsOf,
} from "./tile-layout.ts";

/** How a tile of one layout becomes one of another, inside each warpgroup; undefined where warpgroups need what others hold. */
export function tileConversion(from: Spread, to: Spread): Conversion | undefined {
  const parts = (t: Spread): string => `${warpgroupsOf(t)} ${sharedOut(t)?.dim} ${partShape(t).join()}`;
  if (parts(from) !== parts(to)) return undefined;
  const shape = Object.fromEntries(partShape(to).map((n, d) => [`d${d}`, n]));
  return conversion(linearLayout(from), linearLayout(to), shape);
}

/** Warps that hold a tile of that layout together. */
const holdersOf = (layout: TileLayout): number => warpsOf({ layout }) ?? 4 * warpgroupsOf({ layout });

/** What a conversion takes. */
export type ConversionCost =
  /** `moves`: registers get other names; else nothing changes at all. */
  | { readonly kind: "rename"; readonly moves: boolean }
  /** So many shuffles in each thread. */
  | { readonly kind: "shuffles"; readonly count: number }
  /** So many bytes, of all threads, through shared memory, with two barriers. */
  | { readonly kind: "shared"; readonly bytes: number; readonly stores: number; readonly loads: number };

const isSame = (found: Conversion): boolean =>
  found.kind === "rename" && found.registers.every(({ source, target }) => source === target);

/** Undefined where there is none: the threads that hold the one tile are not those that hold the other. */
export function conversionCost(from: Spread, to: Spread, elementBytes: number): ConversionCost | undefined {
  if (layoutText(from.layout) === layoutText(to.layout)) return { kind: "rename", moves: false };
  if (holdersOf(from.layout) !== holdersOf(to.layout)) return undefined;
  const found = tileConversion(from, to);
  if (found?.kind === "rename") return { kind: "rename", moves: !isSame(found) };
  if (found?.kind === "shuffle") return { kind: "shuffles", count: found.rounds.filter(({ exchanges }) => exchanges).length };
  const elements = to.shape.reduce((n, extent) => n * extent, 1);
  return { kind: "shared", bytes: elements * elementBytes, stores: elementsPerThread(from), loads: elementsPerThread(to) };
}
