import { powersBelow } from "./bits.ts";
import { product } from "./compose.ts";
import { type LinearLayout, linear, type Shape } from "./linear-layout.ts";

/** Place i holds element i, along one dimension. */
export const identity = (size: number, input: string, output: string): LinearLayout => strided(size, 1, input, output);

/** Place i holds element i times the stride, which is a power of two. */
export const strided = (size: number, stride: number, input: string, output: string): LinearLayout =>
  linear({ [input]: powersBelow(size).map((x) => [x * stride]) }, { [output]: size * stride });

/** Every place holds element 0: duplicates. */
export const repeated = (size: number, input: string, output: string): LinearLayout =>
  linear({ [input]: powersBelow(size).map(() => [0]) }, { [output]: 1 });

/** No place but 0 and no element but 0: a product with it only fixes the order of dimensions. */
export const frame = (inputs: readonly string[], outputs: readonly string[]): LinearLayout =>
  linear(Object.fromEntries(inputs.map((name) => [name, []])), Object.fromEntries(outputs.map((name) => [name, 1])));

export const threadDimensions = ["register", "lane", "warp", "block"] as const;

/** A grid of places over several dimensions, those of `order` first fastest. */
function grid(shape: Shape, order: readonly string[], input: string): LinearLayout {
  const start = frame([input], Object.keys(shape));
  return order.reduce((layout, name) => product(layout, identity(shape[name] ?? 1, input, name)), start);
}

export interface Blocked {
  /** Neighbouring elements that one thread holds, lanes of a warp, warps of a block, blocks of a cluster, along each dimension. */
  readonly perThread: Shape;
  readonly threads: Shape;
  readonly warps: Shape;
  readonly blocks?: Shape;
  /** The dimensions, fastest first; without it the last one of a shape is fastest. */
  readonly order?: readonly string[];
}

/** Each thread holds a block of neighbours; lanes, then warps, then blocks of a cluster stand beside each other. Gluon's BlockedLayout. */
export function blocked({ perThread, threads, warps, blocks, order }: Blocked): LinearLayout {
  const names = Object.keys(perThread);
  const fastest = order ?? names.toReversed();
  if (fastest.length !== names.length || names.some((name) => !fastest.includes(name)))
    throw new RangeError(`The order ${fastest.join(", ")} is not one of ${names.join(", ")}.`);
  const parts: readonly [string, Shape][] = [
    ["register", perThread],
    ["lane", threads],
    ["warp", warps],
    ["block", blocks ?? {}],
  ];
  const start = frame(blocks ? threadDimensions : threadDimensions.slice(0, 3), names);
  return parts.reduce((layout, [input, shape]) => product(layout, grid({ ...shape }, fastest, input)), start);
}
