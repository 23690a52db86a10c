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
