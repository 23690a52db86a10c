import { display, fail } from "../diag/index.ts";
import { createPrng } from "./prng.ts";

/** n normally distributed numbers of mean 0 and variance 1, the same for the same seed (default 0). Box and Muller's method. */
export function randn(n: number, seed = 0): Float32Array {
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
