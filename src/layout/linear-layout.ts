import { type Columns, isPowerOfTwo, log2, mostBits, times } from "./bits.ts";

/**
 * Which element is at which place, as a linear map over bits (arXiv 2505.23819): a place such as (register 5, lane 3, warp 1) has the
 * coordinates that are the exclusive or of what each bit of the place adds. Every extent is a power of two.
 *
 * Places of registers are `register` (counted in elements of one thread, not in words), `lane`, `warp` and `block`; a place in shared
 * memory is `offset`, in bytes: all bytes of an element hold that element.
 */
export interface LinearLayout {
  /** Innermost first: register, lane, warp, block. */
  readonly inputs: readonly InputDimension[];
  /** As in a shape, outermost first: row, col. */
  readonly outputs: readonly Extent[];
}

export interface InputDimension {
  readonly name: string;
  /** What bit i adds: one coordinate for each output. */
  readonly bases: readonly (readonly number[])[];
}

/** A dimension and its size, a power of two. */
export interface Extent {
  readonly name: string;
  readonly size: number;
}

/** A number for each dimension; those that are not named are 0. */
export type Point = Readonly<Record<string, number>>;
/** Names and extents, in order. */
export type Shape = Readonly<Record<string, number>>;
/** The bases of each input dimension, from the lowest bit. */
export type Bases = Readonly<Record<string, readonly (readonly number[])[]>>;

/** A layout by its bases: `linear({ lane: [[1, 0], [0, 1]] }, { row: 2, col: 2 })`. RangeError where something does not fit. */
export function linear(bases: Bases, shape: Shape): LinearLayout {
  const outputs = extentsOf(shape);
  const inputs = Object.entries(bases).map(([name, vectors]) => ({ name, bases: vectors }));
  for (const { name, size } of outputs) {
    checkName(name);
    if (!isPowerOfTwo(size)) throw new RangeError(`The extent of ${name} is ${size}, which is no power of two.`);
  }
  for (const { name, bases: vectors } of inputs) {
    checkName(name);
    for (const vector of vectors) checkBasis(name, vector, outputs);
  }
  const bits = [inputs.reduce((n, d) => n + d.bases.length, 0), outputs.reduce((n, d) => n + log2(d.size), 0)];
  if (bits.some((n) => n > mostBits))
    throw new RangeError(`A layout has at most ${mostBits} bits on each side, not ${Math.max(...bits)}.`);
  return { inputs, outputs };
}

function checkName(name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new RangeError(`A dimension cannot be called "${name}".`);
}

function checkBasis(name: string, vector: readonly number[], outputs: readonly Extent[]): void {
  if (vector.length !== outputs.length)
    throw new RangeError(
      `A basis of ${name} has ${vector.length} coordinates, where the layout has ${outputs.length} dimensions.`,
    );
  vector.forEach((x, i) => {
    const { name: output, size } = outputs[i] as Extent;
    if (!Number.isInteger(x) || x < 0 || x >= size)
      throw new RangeError(`A basis of ${name} has ${output} ${x}, where ${output} has an extent of ${size}.`);
  });
}

export const extentsOf = (shape: Shape): Extent[] => Object.entries(shape).map(([name, size]) => ({ name, size }));
export const inputExtents = (layout: LinearLayout): Extent[] =>
  layout.inputs.map(({ name, bases }) => ({ name, size: 2 ** bases.length }));
export const shapeOf = (layout: LinearLayout): Shape => Object.fromEntries(layout.outputs.map((d) => [d.name, d.size]));

/** The extent of an input dimension; 1 where the layout has none of that name. */
export const inputSize = (layout: LinearLayout, name: string): number =>
  2 ** (layout.inputs.find((d) => d.name === name)?.bases.length ?? 0);
/** The extent of an output dimension; 1 where the layout has none of that name. */
export const outputSize = (layout: LinearLayout, name: string): number => layout.outputs.find((d) => d.name === name)?.size ?? 1;

/** The coordinates of a place. RangeError for a place that there is not. */
export function apply(layout: LinearLayout, place: Point): Record<string, number> {
  return unpack(layout.outputs, times(columnsOf(layout), pack(inputExtents(layout), place)));
}

/**
 * What is left of a layout where some of a place is known: coordinates are `constant` exclusive or `rest` of the other dimensions. A
 * thread's register is known while compiling, its lane is not.
 */
export function applyTo(
  layout: LinearLayout,
  known: Point,
): { readonly constant: Record<string, number>; readonly rest: LinearLayout } {
  const rest = { inputs: layout.inputs.filter((d) => !(d.name in known)), outputs: layout.outputs };
  return { constant: apply(layout, known), rest };
}

/** Whether two layouts are the same map; the order of their dimensions does not matter. */
export function equal(a: LinearLayout, b: LinearLayout): boolean {
  const same = (x: readonly Extent[], y: readonly Extent[]): boolean =>
    x.length === y.length && x.every((d) => y.some((e) => e.name === d.name && e.size === d.size));
  if (!same(inputExtents(a), inputExtents(b)) || !same(a.outputs, b.outputs)) return false;
  const other = columnsOf(reorder(b, a));
  return columnsOf(a).every((column, i) => column === other[i]);
}

/** The layout with its dimensions in the order that another has them in. */
export function reorder(layout: LinearLayout, like: LinearLayout): LinearLayout {
  const order = like.outputs.map((d) => layout.outputs.findIndex((e) => e.name === d.name));
  const named = (name: string): readonly (readonly number[])[] => layout.inputs.find((d) => d.name === name)?.bases ?? [];
  return {
    inputs: like.inputs.map(({ name }) => ({
      name,
      bases: named(name).map((basis) => order.map((from) => basis[from] ?? 0)),
    })),
    outputs: like.outputs.map(({ name }) => ({ name, size: outputSize(layout, name) })),
  };
}

/** One number of a point: the first dimension has the lowest bits. RangeError for what lies outside. */
export function pack(extents: readonly Extent[], point: Point): number {
  for (const name of Object.keys(point))
    if (!extents.some((d) => d.name === name)) throw new RangeError(`There is no dimension ${name}.`);
  let [value, shift] = [0, 0];
  for (const { name, size } of extents) {
    const x = point[name] ?? 0;
    if (!Number.isInteger(x) || x < 0 || x >= size) throw new RangeError(`${name} ${x} is outside of an extent of ${size}.`);
    value |= x << shift;
    shift += log2(size);
  }
  return value;
}

export function unpack(extents: readonly Extent[], value: number): Record<string, number> {
  const point: Record<string, number> = {};
  let rest = value;
  for (const { name, size } of extents) {
    point[name] = rest & (size - 1);
    rest >>>= log2(size);
  }
  return point;
}

/** Matrices of layouts that were asked for. */
const matrices = new WeakMap<LinearLayout, Columns>();

/** The matrix of a layout: a column for each bit of the place, in the order of the dimensions, packed. */
export function columnsOf(layout: LinearLayout): Columns {
  const known = matrices.get(layout);
  if (known) return known;
  const shifts: number[] = [];
  layout.outputs.reduce((shift, { size }) => {
    shifts.push(shift);
    return shift + log2(size);
  }, 0);
  const columns = layout.inputs.flatMap(({ bases }) =>
    bases.map((basis) => basis.reduce((sum, x, i) => sum | (x << (shifts[i] ?? 0)), 0)),
  );
  matrices.set(layout, columns);
  return columns;
}

/** The layout of a matrix. */
export function layoutOf(inputs: readonly Extent[], outputs: readonly Extent[], columns: Columns): LinearLayout {
  let next = 0;
  return {
    inputs: inputs.map(({ name, size }) => ({
      name,
      bases: Array.from({ length: log2(size) }, () => Object.values(unpack(outputs, columns[next++] ?? 0))),
    })),
    outputs: outputs.map(({ name, size }) => ({ name, size })),
  };
}

/** Every place of the dimensions, the first one fastest. */
export function* placesOf(extents: readonly Extent[]): Generator<Record<string, number>> {
  const count = extents.reduce((n, { size }) => n * size, 1);
  for (let i = 0; i < count; i++) yield unpack(extents, i);
}
