import { fail } from "../../errors/index.ts";
import type { ClusterUnits, SharedWindow } from "./types.ts";

/** A block's part of an address in shared::cluster space, and its rank. */
export const placeInBlock = (address: number): number => address % 2 ** 24;
export const rankOf = (address: number): number => Math.floor(address / 2 ** 24);

export const hex = (address: number): string => `0x${address.toString(16)}`;

/** W9116. */
export function windowOf(units: ClusterUnits, rank: number): SharedWindow {
  return units.shared[rank] ?? fail("W9116", { rank, size: units.shared.length });
}

/** Where `length` bytes at an address begin in the window. W9111, W9112. */
export function offsetIn(window: SharedWindow, address: number, length: number, alignment: number, what: string): number {
  if (address % alignment !== 0) fail("W9111", { what, address: hex(address), alignment });
  const offset = address - window.base;
  if (offset < 0 || offset + length > window.bytes.length) fail("W9112", { what, address: hex(address), bytes: length });
  return offset;
}

export interface Target {
  readonly window: SharedWindow;
  /** Addresses in the space of the cluster. */
  readonly destination: number;
  readonly barrier: number;
}

interface Delivery {
  readonly destination: number;
  readonly barrier: number;
  readonly multicast?: number;
}

/** The blocks that a copy goes to, with their barriers. W9116, W9118. */
export function targetsOf(units: ClusterUnits, delivery: Delivery): Target[] {
  const { destination, barrier, multicast } = delivery;
  if (multicast === undefined) {
    if (rankOf(destination) !== rankOf(barrier)) fail("W9118", { barrier: hex(barrier), destination: hex(destination) });
    return [{ window: windowOf(units, rankOf(destination)), destination, barrier }];
  }
  const targets: Target[] = [];
  for (let rank = 0; rank < 16; rank += 1) {
    if (((multicast >> rank) & 1) === 0) continue;
    const base = rank * 2 ** 24;
    targets.push({
      window: windowOf(units, rank),
      destination: base + placeInBlock(destination),
      barrier: base + placeInBlock(barrier),
    });
  }
  return targets;
}
