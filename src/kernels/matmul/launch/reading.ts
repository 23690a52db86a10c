/** How the kernel reads what an epilogue reads. */
import type { DeviceTensor } from "warpsmith";
import { isSame } from "../../common/same-memory.ts";
import type { Tensors } from "../../common/tensors.ts";
import type { InputKind, Scaling } from "../epilogue/epilogue.ts";
import type { Lines } from "../kernel/maps.ts";
import { inputShape, shapeOf } from "../problem/check.ts";
import { isAligned, type Operand } from "./align.ts";
import type { Asked, Result } from "./asked.ts";

/** How inputs are read, and the one that comes through the pipeline. */
export interface Reading {
  readonly kinds: Readonly<Record<string, InputKind>>;
  readonly pipe: DeviceTensor | undefined;
}

/** A matrix whose rows have neighbours in memory, or a batch of them. */
export const asRows = (tensor: DeviceTensor): Lines => ({ tensor: tensor as Operand, transposed: false });

/** Whether TMA moves an input that is one number for each element. */
const hasRows = (input: DeviceTensor, { dtype }: Operand): boolean =>
  input.dtype === dtype && (input.strides.at(-1) === 1 || input.shape.at(-1) === 1) && isAligned(asRows(input));

/**
 * One whose elements are of the product's type and lie as TMA wants them comes through the pipeline, under all its names. The result does so
 * before others: TMA, which stores it, is not ordered with reads of another kind. None does so where `byPipe` is false.
 */
export function readingOf(a: Operand, b: Operand, { inputs, out }: Asked, byPipe: boolean): Reading {
  const product = { shape: shapeOf(a, b), a, out };
  const shapes = Object.entries(inputs).map(([name, input]) => ({ name, input, shape: inputShape(name, input, product) }));
  const fit = shapes.filter(({ input, shape }) => byPipe && shape === "tile" && hasRows(input, a)).map(({ input }) => input);
  const pipe = fit.find((input) => out !== undefined && isSame(input, out)) ?? fit[0];
  const kinds = shapes.map(({ name, input, shape }): [string, InputKind] => {
    const through = pipe !== undefined && shape === "tile" && isSame(input, pipe) ? "pipe" : "global";
    return [name, { shape, dtype: input.dtype, through }];
  });
  return { kinds: Object.fromEntries(kinds), pipe };
}

const isRead = (out: Result, inputs: Tensors): boolean => Object.values(inputs).some((input) => isSame(input, out));

/** Whether the result is read by other ways than TMA's, which is not ordered with them: then TMA does not store it. */
export const isReadApart = ({ out, inputs }: Asked, pipe: DeviceTensor | undefined): boolean =>
  out !== undefined && isRead(out, inputs) && !(pipe !== undefined && isSame(pipe, out));

/** Columns as [N], rows as [M], or [batch, M]. */
function asRead(input: DeviceTensor, shape: InputKind["shape"] | undefined): DeviceTensor {
  if (shape === "tile" || input.rank === 1) return input;
  return shape === "row" ? input.reshape(...input.shape.slice(0, -1)) : input.reshape(Math.max(...input.shape));
}

/** What the kernel gets for each input that does not come through the pipeline. Frozen: a launch with it is known again. */
export function inputArgs(inputs: Tensors, kinds: Reading["kinds"]) {
  const args = Object.entries(inputs)
    .filter(([name]) => kinds[name]?.through === "global")
    .map(([name, input]) => [name, asRead(input, kinds[name]?.shape)] as const);
  return Object.freeze(Object.fromEntries(args));
}

/** The inputs, with the result before under a name that none of them has, where it is added. */
export function withPrevious({ inputs, out, scaled, adds }: Asked): { readonly inputs: Tensors; readonly scaling?: Scaling } {
  if (!scaled) return { inputs };
  if (!adds || !out) return { inputs, scaling: {} };
  let previous = "previous";
  while (previous in inputs) previous += "_";
  return { inputs: { ...inputs, [previous]: out }, scaling: { previous } };
}
