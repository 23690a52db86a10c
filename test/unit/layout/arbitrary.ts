import fc from "fast-check";
import { type LinearLayout, linear, type Shape } from "../../../src/layout/index.ts";

const bitsOf = (size: number): number => Math.log2(size);

/** Any map at all between dimensions of these extents. */
export function layouts(inputs: Shape, outputs: Shape): fc.Arbitrary<LinearLayout> {
  const basis = fc.tuple(...Object.values(outputs).map((size) => fc.nat(size - 1)));
  const dimension = (size: number) => fc.array(basis, { minLength: bitsOf(size), maxLength: bitsOf(size) });
  return fc.tuple(...Object.values(inputs).map(dimension)).map((all) => {
    const bases = Object.fromEntries(Object.keys(inputs).map((name, i) => [name, all[i] ?? []]));
    return linear(bases, outputs);
  });
}

const count = (shape: Shape): number => Object.values(shape).reduce((n, size) => n * size, 1);

/** Maps that hold every element, the rest of the places holding duplicates: the bits of the elements, mixed by additions. */
export function onto(inputs: Shape, outputs: Shape): fc.Arbitrary<LinearLayout> {
  const [given, wanted] = [bitsOf(count(inputs)), bitsOf(count(outputs))];
  if (given < wanted) throw new RangeError("too few places");
  const mix = fc.array(fc.tuple(fc.nat(given - 1), fc.nat(given - 1)), { maxLength: 3 * given });
  return mix.map((steps) => {
    const columns = Array.from({ length: given }, (_, i) => (i < wanted ? 2 ** i : 0));
    for (const [a, b] of steps) {
      if (a === b) continue;
      // Every third step adds; the others only change places, so that many columns stay as simple as in real layouts.
      if ((a + b) % 3 === 0) columns[a] = (columns[a] ?? 0) ^ (columns[b] ?? 0);
      else [columns[a], columns[b]] = [columns[b] ?? 0, columns[a] ?? 0];
    }
    let next = 0;
    const bases = Object.entries(inputs).map(([name, size]) => {
      const vectors = Array.from({ length: bitsOf(size) }, () => split(columns[next++] ?? 0, Object.values(outputs)));
      return [name, vectors] as const;
    });
    return linear(Object.fromEntries(bases), outputs);
  });
}

function split(value: number, sizes: readonly number[]): number[] {
  let rest = value;
  return sizes.map((size) => {
    const part = rest % size;
    rest = Math.floor(rest / size);
    return part;
  });
}

/** Extents of a few bits for these names. */
export const shapes = (most: Shape): fc.Arbitrary<Shape> =>
  fc.record(Object.fromEntries(Object.entries(most).map(([name, bits]) => [name, fc.nat(bits).map((n) => 2 ** n)])));

/** All points of a shape, the first name fastest. */
export function points(shape: Shape): Record<string, number>[] {
  const names = Object.keys(shape);
  return Array.from({ length: count(shape) }, (_, i) => {
    const parts = split(i, Object.values(shape));
    return Object.fromEntries(names.map((name, d) => [name, parts[d] ?? 0]));
  });
}

/** A point as text, to compare and to look up. */
export const key = (point: Readonly<Record<string, number>>): string =>
  Object.keys(point)
    .toSorted()
    .map((name) => `${name}${point[name]}`)
    .join(" ");
