/** Random numbers from a counter and a key: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11). */
import { u32, u64 } from "warpsmith";

/** Numbers of 32 bits: four of the counter, or what has become of them. */
export type Words = readonly [number, number, number, number];

/** The upper 32 bits of a product. */
export const high = (a: number, b: number): number => {
  "use kernel";
  return u32((u64(a) * u64(b)) >> 32n);
};

const low = (a: number, b: number): number => {
  "use kernel";
  return u32(Math.imul(a, b) >>> 0);
};

/** Four random numbers of 32 bits, the same for the same counter and key. */
export function philox(counter: Words, key: readonly [number, number]): Words {
  "use kernel";
  let words = counter;
  let [first, second] = key;
  for (let round = 0; round < 10; round++) {
    const [a, b, c, d] = words;
    const [m, n] = [u32(0xd2511f53), u32(0xcd9e8d57)];
    words = [(high(c, n) ^ b ^ first) >>> 0, low(c, n), (high(a, m) ^ d ^ second) >>> 0, low(a, m)];
    [first, second] = [(first + u32(0x9e3779b9)) >>> 0, (second + u32(0xbb67ae85)) >>> 0];
  }
  return words;
}
