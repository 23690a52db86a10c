// Products of random shapes: what a choice of a plan by an estimate is worth where nobody has tuned.
import type { Half, Layout } from "./problem.ts";

/** How many there are. The choice of plans was fitted on the first 200; the others were not looked at. */
export const randomCount = 300;

export interface RandomShape {
  readonly dtype: Half;
  readonly layout: Layout;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Numbers from 0 up to 1, the same for the same seed: mulberry32 by Tommy Ettinger. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

const layouts: readonly Layout[] = ["nt", "nt", "nt", "nt", "nt", "nt", "nt", "nn", "tn", "tt"];

/**
 * Each extent from 8 to 16384, as likely between 8 and 16 as between 8192 and 16384. Of every third shape the extents are what comes, so most rows of its
 * matrices lie no multiple of 16 bytes apart; those of the others are multiples of 8. f16 and bf16 in turns, seven of ten with both operands along K.
 */
export function randomShapes(): readonly RandomShape[] {
  const random = generator(15);
  return Array.from({ length: randomCount }, (_, i) => {
    const grain = i % 3 === 2 ? 1 : 8;
    const extent = (): number => Math.round((8 * 2048 ** random()) / grain) * grain;
    const [m, n, k] = [extent(), extent(), extent()];
    const layout = layouts[Math.floor(random() * layouts.length)] ?? "nt";
    return { dtype: i % 2 === 0 ? "f16" : "bf16", layout, m, n, k };
  });
}
