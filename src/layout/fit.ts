import { type Columns, log2, powerOfTwoFrom, reduce, times } from "./bits.ts";
import { identity } from "./blocked.ts";
import { holds, product } from "./compose.ts";
import { columnsOf, type InputDimension, inputSize, type LinearLayout, outputSize, type Shape, unpack } from "./linear-layout.ts";

const isZero = (basis: readonly number[]): boolean => basis.every((x) => x === 0);

/** Without the bits of registers that hold what the thread has already in register 0 of them. */
const withoutRepeats = (dimension: InputDimension): InputDimension =>
  dimension.name === "register" ? { ...dimension, bases: dimension.bases.filter((b) => !isZero(b)) } : dimension;

/**
 * A dimension less: what a reduction along it leaves. Threads that differed only in it hold the same now; a register that would hold
 * the same as another of its thread is dropped.
 */
export function slice(layout: LinearLayout, name: string): LinearLayout {
  if (!layout.outputs.some((d) => d.name === name)) throw new RangeError(`The layout has no dimension ${name}.`);
  const { inputs, outputs } = withoutDimension(layout, name);
  return { inputs: inputs.map(withoutRepeats), outputs };
}

function withoutDimension(layout: LinearLayout, name: string): LinearLayout {
  const at = layout.outputs.findIndex((d) => d.name === name);
  const without = <T>(list: readonly T[]): T[] => list.filter((_, i) => i !== at);
  return {
    inputs: layout.inputs.map((d) => ({ name: d.name, bases: d.bases.map(without) })),
    outputs: without(layout.outputs),
  };
}

/** A dimension more, of extent 1, before `index`: what a slice takes away, for broadcasting. */
export function expand(layout: LinearLayout, name: string, index: number): LinearLayout {
  if (layout.outputs.some((d) => d.name === name)) throw new RangeError(`The layout has a dimension ${name} already.`);
  return {
    inputs: layout.inputs.map((d) => ({ name: d.name, bases: d.bases.map((b) => b.toSpliced(index, 0, 0)) })),
    outputs: layout.outputs.toSpliced(index, 0, { name, size: 1 }),
  };
}

/**
 * The layout over a whole tile. Where the tile is larger, registers repeat the layout, along the last dimension first; where it is
 * smaller, threads beyond its end hold what those at its beginning do. An extent that is no power of two counts as the next one, see
 * `registersWithin`.
 */
export function fit(layout: LinearLayout, shape: Shape): LinearLayout {
  const wanted = (name: string): number => powerOfTwoFrom(shape[name] ?? 1);
  const outputs = layout.outputs.map(({ name, size }) => ({ name, size: Math.min(size, wanted(name)) }));
  const cut = (basis: readonly number[]): number[] => basis.map((x, i) => x & ((outputs[i]?.size ?? 1) - 1));
  const cropped: LinearLayout = {
    inputs: layout.inputs.map((d) => withoutRepeats({ name: d.name, bases: d.bases.map(cut) })),
    outputs,
  };
  return outputs
    .toReversed()
    .reduce((all, { name, size }) => product(all, identity(wanted(name) / size, "register", name)), cropped);
}

/**
 * The registers that a tile of this shape has. Where an extent is no power of two, the layout is that of the next one, and registers
 * whose elements lie outside of the tile do not exist; the others keep their order. RangeError where a register is inside for some
 * threads only.
 */
export function registersWithin(layout: LinearLayout, shape: Shape): readonly number[] {
  const registers = Array.from({ length: inputSize(layout, "register") }, (_, r) => r);
  const cut = layout.outputs.filter(({ name, size }) => (shape[name] ?? size) < size);
  if (cut.length === 0) return registers;
  const kept = layout.outputs.filter((d) => !cut.includes(d)).reduce((rest, { name }) => withoutDimension(rest, name), layout);
  const columns = (own: boolean): Columns =>
    columnsOf({ inputs: kept.inputs.filter((d) => (d.name === "register") === own), outputs: kept.outputs });
  const threads = reduce(columns(false)).rows.reduce((all, row) => all.concat(all.map((x) => x ^ row.vector)), [0]);
  const inside = (packed: number): boolean =>
    Object.entries(unpack(kept.outputs, packed)).every(([name, x]) => x < (shape[name] ?? 0));
  return registers.filter((register) => {
    const own = times(columns(true), register);
    const count = threads.filter((thread) => inside(own ^ thread)).length;
    if (count > 0 && count < threads.length)
      throw new RangeError(`Register ${register} is outside of the tile for some threads only.`);
    return count > 0;
  });
}

/** The number of neighbours along a dimension, a power of two, of which a thread holds all where it holds one. */
export function vectorWidth(layout: LinearLayout, dimension: string): number {
  if (outputSize(layout, dimension) === 1) return 1;
  return 2 ** spannedBits(layout, dimension);
}

/** How many of the lowest bits of a dimension registers alone run through. */
function spannedBits(layout: LinearLayout, dimension: string): number {
  const registers: LinearLayout = { inputs: layout.inputs.filter((d) => d.name === "register"), outputs: layout.outputs };
  let bits = 0;
  while (bits < log2(outputSize(layout, dimension)) && holds(registers, { [dimension]: 2 ** bits })) bits++;
  return bits;
}
