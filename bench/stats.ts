/** The value below which the share `q` of the samples lies, between neighbours by proportion. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q,
    below = Math.floor(at);
  const low = sorted[below] ?? Number.NaN,
    high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (at - below);
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);
export const mean = (samples: readonly number[]): number => samples.reduce((sum, x) => sum + x, 0) / samples.length;
export const geometricMean = (samples: readonly number[]): number => Math.exp(mean(samples.map(Math.log)));
export const round = (x: number, digits = 4): number => Number(x.toPrecision(digits));

/** Microseconds. */
export interface Figure {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
  readonly samples: number;
}

export const figureOf = (samples: readonly number[]): Figure => ({
  median: round(median(samples), 5),
  p10: round(quantile(samples, 0.1), 5),
  p90: round(quantile(samples, 0.9), 5),
  samples: samples.length,
});
