// Compares 64-bit integers as numbers.
import { assertClose } from "warpsmith/testing";

export const run = () => {
  // @ts-expect-error: a list of numbers is wanted
  assertClose(BigInt64Array.of(1n, 2n), [1, 2], { rtol: 0, atol: 0 }); // error: W7901
};
