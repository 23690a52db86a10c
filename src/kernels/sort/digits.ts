/** Keys as numbers without a sign whose order is that of the keys, and their digits. */
import { bitcast, bits, u32, warp } from "warpsmith";

export type KeyType = "i32" | "u32" | "f32";

const digitBits = 8;
export const binCount = 2 ** digitBits;
export const digitCount = 32 / digitBits;

/** Rises with the key: -0 and 0 are equal, NaN is greater than everything. */
const rankOf = (dtype: KeyType, key: number): number => {
  "use kernel";
  if (dtype === "u32") return key;
  if (dtype === "i32") return (bitcast("u32", key) ^ 0x80000000) >>> 0;
  const word = bitcast("i32", key + 0); // -0 + 0 is 0
  const rank = (word ^ ((word >> 31) | 0x80000000)) >>> 0;
  return key <= Number.POSITIVE_INFINITY ? rank : u32(0xffffffff);
};

/** Which keys are sorted, and how. */
export interface Order {
  readonly dtype: KeyType;
  readonly descending: boolean;
}

/** A digit of a key, the lowest being 0. */
export const digitOf = ({ dtype, descending }: Order, key: number, digit: number): number => {
  "use kernel";
  const rank = rankOf(dtype, key);
  const from = descending ? ~rank >>> 0 : rank;
  return (from >>> (digit * digitBits)) & (binCount - 1);
};

/** The lanes of this warp whose digit is the same. */
export function lanesWith(digit: number): number {
  "use kernel";
  let lanes = u32(0xffffffff);
  for (let bit = 0; bit < digitBits; bit++) {
    const isSet = ((digit >> bit) & 1) === 1;
    const those = warp.ballot(isSet);
    lanes = (lanes & (isSet ? those : ~those >>> 0)) >>> 0;
  }
  return lanes;
}

/** How many of some lanes come before this one. */
export const lanesBefore = (lanes: number): number => {
  "use kernel";
  return bits.popcount((lanes & ((1 << warp.lane) - 1)) >>> 0);
};
