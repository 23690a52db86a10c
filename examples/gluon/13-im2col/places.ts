import type { Window } from "./load.ts";

/** Rows and columns of the images of the first part. */
export const SIDE = 4;

/** The pixels that a load takes, in order: numbers from the first pixel of the first image on, undefined where there is none. */
export function pixelsOf({ images, lower, upper, stride, pixels, offsets }: Window): (number | undefined)[] {
  const along = (from: number, to: number) => Array.from({ length: Math.floor((to - from) / stride) + 1 }, (_, i) => from + i * stride);
  const [rows, columns] = ([0, 1] as const).map((d) => along(lower[d], SIDE - 1 + upper[d]));
  const inside = (at: number) => at >= 0 && at < SIDE;
  return Array.from({ length: images }, (_, n) => n)
    .flatMap((n) => rows.flatMap((row) => columns.map((column) => {
      const h = row + offsets[0], w = column + offsets[1];
      return inside(h) && inside(w) ? (n * SIDE + h) * SIDE + w : undefined;
    })))
    .slice(0, pixels);
}

/** The same as a line of text. */
export const placesText = (window: Window): string => pixelsOf(window).map((pixel) => pixel ?? "·").join(" ");
