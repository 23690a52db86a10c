/** Which texels a coordinate of a texture falls on (CUDA C++ Programming Guide, "Texture Fetching"), and which face of a cube ("Cubemap Textures"). */
import type { AddressMode } from "../../../base/texture.ts";

/** Fraction bits of the weights of linear filtering: 1.8 fixed point, so that 1 is a weight, too. */
export const weightSteps = 256;

/**
 * Where linear filtering reads: texels `first` and the one after it, which has the weight `weight` of 256. The guide does not say how
 * the fraction becomes 8 bits; an H200 rounds it to the nearest.
 */
export function filterPosition(texels: number): { readonly first: number; readonly weight: number } {
  const steps = Math.round((texels - 0.5) * weightSteps);
  const first = Math.floor(steps / weightSteps);
  return { first, weight: steps - first * weightSteps };
}

/**
 * A coordinate in texels. What is no number counts as 0, what is endless as very large. What the guide says of repeated and mirrored
 * texture is done with whole texels (`addressed`), as an H200 does: of a mirrored one, its edges belong to the texel behind them.
 */
export function inTexels(coordinate: number, extent: number, normalized: boolean): number {
  const texels = normalized ? coordinate * extent : coordinate;
  return Number.isNaN(texels) ? 0 : Math.max(-(2 ** 40), Math.min(2 ** 40, texels));
}

/** Weights of two axes as one, of 256 again; 0.5 goes up (an H200). */
export const together = (a: number, b: number): number => Math.floor((a * b) / weightSteps + 0.5);

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

/** Where a direction points to on a cube. */
interface FacePoint {
  /** 0 to 5: +x, -x, +y, -y, +z, -z. */
  readonly face: number;
  /** From 0 to 1. */
  readonly s: number;
  readonly t: number;
}

/** Where two axes are equally long, x goes before y, y before z. */
export function facePoint(x: number, y: number, z: number): FacePoint {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const on = (face: number, m: number, s: number, t: number): FacePoint => ({
    face,
    s: Math.fround((s / m + 1) / 2),
    t: Math.fround((t / m + 1) / 2),
  });
  if (ax >= ay && ax >= az) return x >= 0 ? on(0, ax, -z, -y) : on(1, ax, z, -y);
  if (ay >= az) return y >= 0 ? on(2, ay, x, z) : on(3, ay, x, -z);
  return z >= 0 ? on(4, az, x, -y) : on(5, az, -x, -y);
}
