import { type Columns, log2, pseudoInverseOf, reduce, times } from "./bits.ts";
import {
  columnsOf,
  type Extent,
  extentsOf,
  inputExtents,
  inputSize,
  type LinearLayout,
  layoutOf,
  outputSize,
  type Point,
  pack,
  reorder,
  unpack,
} from "./linear-layout.ts";

/** `then` after `first`. What `first` gives must be what `then` takes: the same names, and no more of each. */
export function compose(first: LinearLayout, then: LinearLayout): LinearLayout {
  for (const { name, size } of first.outputs) {
    if (!then.inputs.some((d) => d.name === name)) throw new RangeError(`The second layout takes no ${name}.`);
    if (size > inputSize(then, name))
      throw new RangeError(`The first layout gives ${size} of ${name}, the second takes ${inputSize(then, name)}.`);
  }
  const taken = inputExtents(then);
  const columns = columnsOf(then);
  const through = columnsOf(first).map((column) => times(columns, pack(taken, unpack(first.outputs, column))));
  return layoutOf(inputExtents(first), then.outputs, through);
}

/**
 * Both layouts side by side, the direct sum. In a dimension that both have, the bits of `inner` come first: `outer` is a grid of which
 * every point is a whole `inner`.
 */
export function product(inner: LinearLayout, outer: LinearLayout): LinearLayout {
  const outputs = unite(inner.outputs, outer.outputs);
  const own = (layout: LinearLayout, scale: (name: string) => number) => (basis: readonly number[]) =>
    outputs.map(({ name }) => {
      const i = layout.outputs.findIndex((d) => d.name === name);
      return (basis[i] ?? 0) * scale(name);
    });
  const low = own(inner, () => 1);
  const high = own(outer, (name) => outputSize(inner, name));
  const basesIn = ({ inputs }: LinearLayout, name: string) => inputs.find((d) => d.name === name)?.bases ?? [];
  return {
    inputs: unite(inputExtents(inner), inputExtents(outer)).map(({ name }) => ({
      name,
      bases: [...basesIn(inner, name).map(low), ...basesIn(outer, name).map(high)],
    })),
    outputs,
  };
}

/** The dimensions of the first, then those that only the second has; sizes multiply. */
function unite(a: readonly Extent[], b: readonly Extent[]): Extent[] {
  const sizeIn = (extents: readonly Extent[], name: string): number => extents.find((d) => d.name === name)?.size ?? 1;
  const names = [...new Set([...a, ...b].map((d) => d.name))];
  return names.map((name) => ({ name, size: sizeIn(a, name) * sizeIn(b, name) }));
}

const outputBits = (layout: LinearLayout): number => layout.outputs.reduce((n, d) => n + log2(d.size), 0);
const inputBits = (layout: LinearLayout): number => layout.inputs.reduce((n, d) => n + d.bases.length, 0);
const rankOf = (layout: LinearLayout): number => reduce(columnsOf(layout)).rows.length;

/** No element is held twice. */
export const isInjective = (layout: LinearLayout): boolean => rankOf(layout) === inputBits(layout);
/** Every element is held. */
export const isSurjective = (layout: LinearLayout): boolean => rankOf(layout) === outputBits(layout);

/**
 * A layout back from elements to places, for which L X L = L. Of several places that hold an element it gives the one that needs the
 * first dimensions and lowest bits. Elements that are nowhere are taken to places of others.
 */
export function pseudoInverse(layout: LinearLayout): LinearLayout {
  const columns = pseudoInverseOf(columnsOf(layout), outputBits(layout));
  return layoutOf(layout.outputs, inputExtents(layout), columns);
}

/** From elements to a place that holds each. RangeError where an element is nowhere. */
export function rightInverse(layout: LinearLayout): LinearLayout {
  if (!isSurjective(layout)) throw new RangeError("The layout does not hold every element.");
  return pseudoInverse(layout);
}

/** From the elements that are held to their places. RangeError where one is held twice. */
export function leftInverse(layout: LinearLayout): LinearLayout {
  if (!isInjective(layout)) throw new RangeError("The layout holds elements twice.");
  return pseudoInverse(layout);
}

/** From elements to their places. RangeError where not each element is held exactly once. */
export function inverse(layout: LinearLayout): LinearLayout {
  if (!isInjective(layout)) throw new RangeError("The layout holds elements twice.");
  return rightInverse(layout);
}

/** A basis of the differences between places that hold the same element: who has duplicates. */
export const kernel = (layout: LinearLayout): readonly Record<string, number>[] =>
  reduce(columnsOf(layout)).kernel.map((input) => unpack(inputExtents(layout), input));

/** A basis of the elements that are held. */
export const image = (layout: LinearLayout): readonly Record<string, number>[] =>
  reduce(columnsOf(layout)).rows.map((row) => unpack(layout.outputs, row.vector));

/** Whether a point is of the elements that are held. */
export function holds(layout: LinearLayout, point: Point): boolean {
  const columns = columnsOf(layout);
  const element = pack(layout.outputs, point);
  return times(columns, times(pseudoInverseOf(columns, outputBits(layout)), element)) === element;
}

/** Takes places of `from` to places of `to` that hold the same elements. RangeError where `to` does not hold one. */
export function invertAndCompose(from: LinearLayout, to: LinearLayout): LinearLayout {
  const map = compose(from, pseudoInverse(to));
  const back: LinearLayout = { inputs: from.inputs, outputs: from.outputs };
  const same = (a: Columns, b: Columns): boolean => a.every((column, i) => column === b[i]);
  if (!same(columnsOf(reorder(compose(map, to), back)), columnsOf(back)))
    throw new RangeError("The second layout does not hold every element of the first.");
  return map;
}

/** Q with product(tile, Q) = layout: the grid of tiles that a layout is. Undefined where it is none. */
export function divideLeft(layout: LinearLayout, tile: LinearLayout): LinearLayout | undefined {
  const outputs: Extent[] = [];
  for (const { name, size } of layout.outputs) outputs.push({ name, size: size / outputSize(tile, name) });
  if (tile.outputs.some((d) => !layout.outputs.some((e) => e.name === d.name)) || outputs.some((d) => d.size < 1))
    return undefined;
  if (tile.inputs.some((d) => d.bases.length > 0 && d.bases.length > Math.log2(inputSize(layout, d.name)))) return undefined;
  const quotient: LinearLayout = {
    inputs: layout.inputs.map(({ name, bases }) => ({
      name,
      bases: bases
        .slice(Math.log2(inputSize(tile, name)))
        .map((basis) => basis.map((x, i) => Math.floor(x / outputSize(tile, layout.outputs[i]?.name ?? "")))),
    })),
    outputs,
  };
  const again = reorder(product(tile, quotient), layout);
  const wanted = columnsOf(layout);
  return columnsOf(again).every((column, i) => column === wanted[i]) ? quotient : undefined;
}

/** The layout with its coordinates counted in row-major order and cut up anew into another shape of as many elements. */
export function reshape(layout: LinearLayout, shape: Readonly<Record<string, number>>): LinearLayout {
  const outputs = extentsOf(shape);
  const count = (extents: readonly Extent[]): number => extents.reduce((n, d) => n * d.size, 1);
  if (count(outputs) !== count(layout.outputs))
    throw new RangeError(`A shape of ${count(outputs)} elements cannot replace one of ${count(layout.outputs)}.`);
  const rowMajor = { inputs: layout.inputs, outputs: layout.outputs.toReversed() };
  const reversed = rowMajor.inputs.map((d) => ({ name: d.name, bases: d.bases.map((b) => b.toReversed()) }));
  const columns = columnsOf({ inputs: reversed, outputs: rowMajor.outputs });
  const flat = layoutOf(inputExtents(layout), outputs.toReversed(), columns);
  return {
    inputs: flat.inputs.map((d) => ({ name: d.name, bases: d.bases.map((b) => b.toReversed()) })),
    outputs,
  };
}

/** The same places of elements whose dimensions stand in another order. */
export function transpose(layout: LinearLayout, names: readonly string[]): LinearLayout {
  const outputs = names.map((name) => ({ name, size: outputSize(layout, name) }));
  if (names.length !== layout.outputs.length || layout.outputs.some((d) => !names.includes(d.name)))
    throw new RangeError(`${names.join(", ")} are not the dimensions of the layout.`);
  return reorder(layout, { inputs: layout.inputs, outputs });
}

/** Other names for dimensions, of places or of elements. */
export function rename(layout: LinearLayout, names: Readonly<Record<string, string>>): LinearLayout {
  return {
    inputs: layout.inputs.map((d) => ({ ...d, name: names[d.name] ?? d.name })),
    outputs: layout.outputs.map((d) => ({ ...d, name: names[d.name] ?? d.name })),
  };
}
