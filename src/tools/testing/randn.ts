import { display, refuseMore } from "../../base/diag/index.ts";
import { fail } from "./errors.ts";

/** A seeded source of evenly distributed numbers in (0, 1): sfc32 (Chris Doty-Humphrey, PractRand). */
export function createPrng(seed: number): () => number {
  let a = 0;
  let b = seed | 0;
  let c = Math.trunc(seed / 2 ** 32) | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return ((sum >>> 0) + 0.5) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

/** n normally distributed numbers of mean 0 and variance 1, the same for the same seed (default 0). Box and Muller's method. */
export function randn(n: number, seed = 0): Float32Array {
  refuseMore(randn, arguments);
  if (!Number.isSafeInteger(n) || n < 0)
    fail("W7901", { what: "The count of randn()", given: display(n), expected: "a whole number from 0" });
  if (!Number.isFinite(seed)) fail("W7901", { what: "The seed of randn()", given: display(seed), expected: "a number" });
  const next = createPrng(seed);
  const numbers = new Float32Array(n);
  for (let i = 0; i < n; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(next()));
    const angle = 2 * Math.PI * next();
    numbers[i] = radius * Math.cos(angle);
    if (i + 1 < n) numbers[i + 1] = radius * Math.sin(angle);
  }
  return numbers;
}
