import type { DeviceTensor } from "warpsmith";
import { checkOptions, display, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { prepares } from "../common/kernel-of.ts";
import type { Ready } from "../common/launches.ts";
import { madeOnce } from "../common/made.ts";
import { taking } from "../common/memory.ts";
import { asColumn, checkNumbers, checkOperand } from "../common/operands.ts";
import { type Call, checkRun, launch, type RunOptions, readyFor } from "../common/ready.ts";
import { isSame, mayOverlap } from "../common/same-memory.ts";
import { checkSameDevice, checkTensor, describe, type FloatType, sizeOf } from "../common/tensors.ts";
import { fail } from "../errors.ts";
import { checkDebug, type Ids } from "./embedding.ts";
import { makeRotary, numbersOf, type RotaryShape } from "./rotary-kernel.ts";

/** Where the result of `rotary` goes, which elements are pairs, and how it runs. W2601, W7012, W7046, W7616–W7619, W7625, W7710. */
export interface RotaryOptions<D extends FloatType = FloatType, R extends number = number> extends RunOptions {
  /** "halves": element i turns with element i + r / 2, as in Llama and GPT-NeoX; "interleaved": neighbours, as in GPT-J. Default "halves". */
  readonly layout?: "halves" | "interleaved";
  /** The row of the tables for each token: i32 or i64, of the shape of x without its last two axes. Default: 0, 1, … along the last of these. */
  readonly positions?: Ids;
  /** Where it goes: of the type and shape of x, which it may be. Default: new memory. */
  readonly out?: DeviceTensor<D, R>;
  /** Stop where a position is no row of the tables, as `debug` of kernels. Default: on in the emulator, off on the GPU. */
  readonly debug?: boolean;
}

type Angles = DeviceTensor<FloatType, 2>;

const of = "rotary()";
const known = optionsOf<RotaryOptions>(of, {
  ...{ layout: true, positions: true, out: true, debug: true },
  ...{ stream: true, overlapPrevious: true },
});

const count = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1);

/** As [tokens, heads, elements]: tokens equally far apart, elements neighbours. W7617. */
function asHeads(name: string, x: DeviceTensor): DeviceTensor<FloatType, 3> {
  const [heads = 1, columns = 1] = x.shape.slice(-2);
  const tokens = count(x.shape.slice(0, -2));
  const refuse = (): never => fail("W7617", { name, of, shape: x.shape, strides: x.strides });
  if (columns > 1 && x.strides.at(-1) !== 1) return refuse();
  if (x.shape.length === 3) return x as DeviceTensor<FloatType, 3>;
  try {
    return x.reshape(tokens, heads, columns) as DeviceTensor<FloatType, 3>;
  } catch {
    return refuse();
  }
}

/** W7601, W7616, W7625. */
function checkTables(x: DeviceTensor, cos: Angles, sin: Angles): void {
  for (const [name, table] of Object.entries({ cos, sin })) {
    checkTensor(name, table, 2, of);
    checkOperand(of, name, table);
  }
  checkOperand(of, "sin", sin, { dtypes: [cos.dtype], shape: cos.shape });
  if (2 * cos.shape[1] > (x.shape.at(-1) ?? 0)) fail("W7625", { given: describe(cos), columns: x.shape.at(-1) ?? 0 });
}

/** The most bytes up to 16 that divide where each row of some elements begins, along all axes. */
function alignmentOf(x: DeviceTensor): number {
  const strides = x.strides.slice(0, -1).reduce((bits, stride, i) => bits | ((x.shape[i] ?? 1) > 1 ? stride * sizeOf(x) : 0), 16);
  const low = Number(x.address() % 16n) | strides;
  return low & -low;
}

/** The most neighbours that a load moves: of numbers of elements that they have to divide. */
const widthOf = (tensors: readonly DeviceTensor[], divides: readonly number[]): number =>
  [8, 4, 2].find(
    (width) =>
      divides.every((n) => n % width === 0) &&
      tensors.every((x) => width * sizeOf(x) <= Math.min(16, alignmentOf(x)) && x.strides.at(-1) === 1),
  ) ?? 1;

function shapeFor(
  x: DeviceTensor<FloatType, 3>,
  y: DeviceTensor,
  tables: readonly Angles[],
  options: RotaryOptions,
): RotaryShape {
  const { layout = "halves", positions } = options;
  const [, heads, columns] = x.shape;
  const turning = 2 * (tables[0]?.shape[1] ?? 0);
  const width = widthOf([x, y], layout === "halves" ? [turning / 2, columns - turning] : [turning, columns - turning]);
  // A thread that has neighbours two by two has at least one such pair.
  const vector = layout === "interleaved" ? Math.max(2, width) : width;
  const copies = columns > turning && x.address() !== y.address();
  const most = layout === "interleaved" ? vector / 2 : vector;
  const angles = Math.min(most, widthOf(tables, [turning / 2]));
  return { heads, columns, turning, layout, vector, width, angles, positions: positions !== undefined, copies };
}

function prepare(x: DeviceTensor<FloatType>, cos: Angles, sin: Angles, options: RotaryOptions): Ready {
  const { out: given, positions, layout, overlapPrevious: overlaps = false, debug } = options;
  checkOperand(of, "x", x);
  if (x.shape.length < 3) fail("W7616", { name: "x", of, given: describe(x), expected: "[..., tokens, heads, elements]" });
  if (layout !== undefined && layout !== "halves" && layout !== "interleaved")
    fail("W7046", { of, option: "layout", given: display(layout), expected: '"halves" or "interleaved"' });
  checkTables(x, cos, sin);
  const leading = x.shape.slice(0, -2);
  if (positions !== undefined) checkOperand(of, "positions", positions, { dtypes: ["i32", "i64"], shape: leading });
  else if ((leading.at(-1) ?? 1) > cos.shape[0]) fail("W7626", { tokens: leading.at(-1) ?? 1, rows: cos.shape[0] });
  if (given !== undefined) checkOperand(of, "out", given, { dtypes: [x.dtype], shape: x.shape });
  const heads = asHeads("x", x);
  return taking(x.device, (take) => {
    const out = given ?? take(x.dtype, x.shape);
    const written = given === x ? heads : asHeads("out", out);
    const more = positions ? { positions: asColumn(of, "positions", positions) } : {};
    checkSameDevice(x, written);
    if (!isSame(written, heads) && mayOverlap(written, heads)) fail("W7618", { out: "out", name: "x", of });
    for (const [name, read] of Object.entries({ cos, sin, ...more })) {
      checkSameDevice(x, read);
      if (mayOverlap(written, read)) fail("W7619", { out: "out", name, of });
    }
    const shape = shapeFor(heads, written, [cos, sin], options);
    checkNumbers(of, numbersOf(shape, heads.shape[0]), "vectors of elements");
    const kernel = madeOnce([of, shape, overlaps, debug], (kept) => makeRotary(shape, overlaps, debug, kept));
    return { kernel, args: [written, heads, cos, sin, more, leading.at(-1) ?? 1], out };
  });
}

function ready(x: DeviceTensor<FloatType>, cos: Angles, sin: Angles, options: RotaryOptions): Call {
  checkOptions(options, known);
  checkRun(of, options);
  checkDebug(of, options.debug);
  const { layout, positions, out, debug, overlapPrevious = false } = options;
  const asked = [of, cos, sin, layout, positions, out, debug, overlapPrevious];
  return readyFor(x, asked, out !== undefined, () => prepare(x, cos, sin, options));
}

/**
 * Rotary position embeddings: each pair (a, b) of elements of a head becomes (a cos - b sin, b cos + a sin), computed in f32 and rounded once. x is [..., tokens, heads, d] of f16,
 * bf16 or f32; `cos` and `sin` are [positions, r / 2] of one of these types, with an angle for each pair: the first r elements of a head turn, the others stay. No memory outside
 * of the tables is read: where a position is no row of them, what turns is NaN, and with `debug` the kernel stops with an error. W7012, W76xx.
 */
export function rotary<D extends FloatType, R extends number>(
  x: DeviceTensor<D, R>,
  cos: DeviceTensor<FloatType, 2>,
  sin: DeviceTensor<FloatType, 2>,
  options: RotaryOptions<NoInfer<D>, NoInfer<R>> = {},
): DeviceTensor<D, R> {
  refuseMore(rotary, arguments);
  const made = ready(x, cos, sin, options as RotaryOptions);
  return launch(made, options, options?.out).out as DeviceTensor<D, R>;
}
prepares(rotary, (x: DeviceTensor<FloatType>, cos: Angles, sin: Angles, options: RotaryOptions = {}) =>
  ready(x, cos, sin, options),
);
