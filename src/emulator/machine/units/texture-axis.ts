/** One coordinate of a texture: which texels it falls on (CUDA C++ Programming Guide, "Texture Fetching"). */
import type { AddressMode } from "../../../texture.ts";

/** Fraction bits of the weights of linear filtering: 1.8 fixed point, so that 1 is a weight, too. */
const weightSteps = 256;

/**
 * Where linear filtering reads: texels `first` and the one after it, which has the weight `weight`. The guide does not say how the
 * fraction becomes 8 bits; here it is rounded to the nearest.
 */
export function filterPosition(texels: number): { readonly first: number; readonly weight: number } {
  const steps = Math.round((texels - 0.5) * weightSteps);
  const first = Math.floor(steps / weightSteps);
  return { first, weight: steps / weightSteps - first };
}

/** What the guide puts in place of a normalized coordinate: of texture repeated, or every second time mirrored, the part within it. */
function within(x: number, mode: AddressMode): number {
  const whole = Math.floor(x);
  if (mode === "wrap") return x - whole;
  if (mode === "mirror") return whole % 2 === 0 ? x - whole : 1 - (x - whole);
  return x;
}

/** A coordinate in texels. What is no number counts as 0, what is endless as very large. */
export function inTexels(coordinate: number, extent: number, normalized: boolean, mode: AddressMode): number {
  const texels = normalized ? within(coordinate, mode) * extent : coordinate;
  return Number.isNaN(texels) ? 0 : Math.max(-(2 ** 40), Math.min(2 ** 40, texels));
}

/** The texel that stands for index i of an axis of n; -1: the border. */
export function addressed(i: number, n: number, mode: AddressMode): number {
  switch (mode) {
    case "clamp":
      return Math.max(0, Math.min(n - 1, i));
    case "border":
      return i >= 0 && i < n ? i : -1;
    case "wrap":
      return i - n * Math.floor(i / n);
    case "mirror": {
      const within = i - 2 * n * Math.floor(i / (2 * n));
      return within < n ? within : 2 * n - 1 - within;
    }
  }
}
