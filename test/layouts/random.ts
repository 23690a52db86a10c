/** Numbers that a seed decides. */
export interface Random {
  /** A whole number from 0 to `n` - 1. */
  below(n: number): number;
}

/** mulberry32. */
export function randomFrom(seed: number): Random {
  let state = (seed * 0x9e3779b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  return { below: (n) => next() % n };
}
