import { optionsOf } from "../../base/diag/index.ts";
import type { DType } from "../../base/types.ts";
import { constant, first } from "../../ir/arith.ts";
import type { TileType } from "../../ir/index.ts";
import { isAuto } from "../../layout/index.ts";
import { reshapedLayout, transposedLayout } from "../../layout/modes/index.ts";
import { callMath } from "../math/math-functions.ts";
import { checkOptionsHere, checkShape, describe, readFlag } from "../numbers/describe.ts";
import { elementType, elementwise } from "../numbers/elementwise.ts";
import { lift } from "../numbers/lift.ts";
import { isLiteral } from "../numbers/literals.ts";
import { isOpen, settle } from "../numbers/open-types.ts";
import { selectValue } from "../numbers/select.ts";
import { binary } from "../operators/binary.ts";
import { failHere } from "../trace/fail-here.ts";
import { openLayout } from "../trace/open-tiles.ts";
import { isStagedScalar, scalar } from "../trace/scalar.ts";
import { ownNamespace } from "../trace/staged.ts";
import { isStagedTile, type StagedTile, tileOf, toAuthor } from "../trace/staged-tile.ts";
import { currentTrace, type Trace } from "../trace/trace.ts";
import { layoutOrOpen, tileTypeHere, warpgroupsHere, warpgroupsMeeting } from "./access.ts";
import { dotTiles } from "./dot.ts";
import { type Layout, readLayout, writtenLayout } from "./layout.ts";
import { countTile, gatherTile } from "./lookups.ts";
import { joinTiles, splitTile } from "./pairs.ts";
import { callCombine, readAxis, reduceTile, roundedAs, scanTile, wantTile, widened } from "./reductions.ts";

/** A tile, to TypeScript: what its element is. */
type AnyTile = number | boolean;
/** What holds a tile is taken for it: an accumulator for its `tile`. */
interface HoldsTile {
  /** Its elements as a tile. */
  readonly tile: number;
}
type Given = AnyTile | HoldsTile;

/** What a tile is, for static decisions. */
export interface TileInfo {
  /** The type of the elements. */
  readonly dtype: DType;
  /** Elements along each dimension, outermost first. */
  readonly shape: readonly number[];
  /** Which thread holds which of them. */
  readonly layout: Layout;
}

interface ScanOptions {
  /** From the last element to the first. Default false. */
  reverse?: boolean;
}
const scanOptions = optionsOf<ScanOptions>("tile.scan()", { reverse: true });

interface HistogramOptions {
  /** How the counts lie. Default: what the compiler chooses. */
  layout?: Layout;
}
const histogramOptions = optionsOf<HistogramOptions>("tile.histogram()", { layout: true });

const minimum = (a: unknown, b: unknown): unknown => callMath(Math.min, [a, b]);
const maximum = (a: unknown, b: unknown): unknown => callMath(Math.max, [a, b]);

function extreme(name: "tile.max" | "tile.min", x: unknown, axis: unknown): never {
  const trace = currentTrace(name);
  const tile = wantTile(x, name);
  const combine = name === "tile.max" ? maximum : minimum;
  return reduceTile(trace, tile, { what: name, axis: readAxis(axis, tile, name), combine, commutative: true });
}

/**
 * Functions of tiles: blocks of elements over the registers of threads. A `number` here is a tile, or a scalar that goes beside each element. All threads that
 * hold the tile call them together.
 */
export const tile = ownNamespace({
  /** What a tile is, for static decisions. The layout of a tile that was made without one is not known yet (W6217). W6206. */
  info(x: Given): TileInfo {
    const { dtype, shape, layout } = wantTile(x, "tile.info").type;
    return {
      dtype,
      shape,
      get layout() {
        return isAuto(layout) ? failHere("W6217", {}) : writtenLayout(layout);
      },
    };
  },

  /** The same number everywhere: of its own type, a static one as f32, or true or false. Without a layout the compiler chooses one. W6204, W6205, W6210, W6212. */
  full<T extends number | boolean>(shape: readonly number[], value: T, layout?: Layout): T extends boolean ? boolean : number {
    const trace = currentTrace("tile.full");
    checkShape(shape, "The shape of tile.full");
    const lies = layoutOrOpen(trace, layout, shape.length, "`tile.full`");
    const given: unknown = value;
    if (isStagedScalar(given) && isOpen(given.value)) settle(given.value, "f32");
    const type = isStagedScalar(given) ? given.type : typeof given === "boolean" ? "pred" : "f32";
    const made = tileTypeHere(trace, elementType(type), shape, lies, "the tile");
    const splat = isLiteral(given) ? constant(trace, given, type) : lift(given, type, "the value of `tile.full`");
    return tileOf(first(trace.emit("tile.splat", { value: splat }, {}, { types: [made] })), made);
  },

  /** 0, 1, 2, … to `stop` - 1, a power of two, as i32. Without a layout the compiler chooses one. W6204, W6205, W6210, W6212. */
  arange(stop: number, layout?: Layout): number {
    const trace = currentTrace("tile.arange");
    const type = tileTypeHere(trace, "i32", [stop], layoutOrOpen(trace, layout, 1, "`tile.arange`"), "what `tile.arange` gives");
    const attrs = { axis: 0, warpgroups: warpgroupsHere(trace, type) };
    return tileOf(first(trace.emit("tile.iota", {}, attrs, { types: [type] })), type);
  },

  /**
   * The sum along an axis: a dimension less, in a SliceLayout; of a tile with one dimension, a scalar. Of the type of the tile: f16, bf16 and 8-bit floats are
   * summed as f32 and rounded once; integers of 8 and 16 bits give i32 or u32. Sums of integers wrap, with `debug`, too.
   *
   * The order is always the same. Each thread sums its own elements, in the order of its registers: neighbours two by two, then these sums two by two,
   * and so on; the last one of an odd number goes on to the next round. Then the lanes that share a row, two by two, by their lowest bit first; then the
   * warps that do, through shared memory of the block, where they meet at two barriers. Only after a wait that covers the product (W6001). W6206, W6207, W6209.
   */
  sum(x: Given, axis: number): number {
    const trace = currentTrace("tile.sum");
    const given = wantTile(x, "tile.sum");
    if (given.type.dtype === "bool")
      return failHere("W6206", { what: "`tile.sum`", given: "a tile of truth values; convert it: `i32(x)`" });
    const from = widened(given);
    const isInteger = /^[iu]/.test(from.type.dtype);
    const add = (a: unknown, b: unknown): unknown => (isInteger ? wrappedSum(a, b) : binary("+", a, b));
    const along = readAxis(axis, given, "tile.sum");
    return roundedAs(
      reduceTile(trace, from, { what: "tile.sum", axis: along, combine: add, commutative: true }),
      given.type.dtype,
    ) as number;
  },

  /** The greatest along an axis, as `Math.max`: a NaN wins. Elsewhere as `tile.sum`. W6206, W6207, W6209. */
  max(x: Given, axis: number): number {
    return extreme("tile.max", x, axis);
  },

  /** The least along an axis, as `Math.min`: a NaN wins. Elsewhere as `tile.sum`. W6206, W6207, W6209. */
  min(x: Given, axis: number): number {
    return extreme("tile.min", x, axis);
  },

  /**
   * The elements along an axis combined two by two by a function that has to be associative and commutative: the order is always the same, and not that of
   * the coordinates. Elsewhere as `tile.sum`. W6206, W6207, W2010, W6209, W6521, W6524.
   */
  reduce<T extends AnyTile>(x: T, axis: number, combine: (a: T, b: T) => T): T {
    const trace = currentTrace("tile.reduce");
    const given = wantTile(x, "tile.reduce");
    const along = readAxis(axis, given, "tile.reduce");
    return reduceTile(trace, given, {
      what: "tile.reduce",
      axis: along,
      combine: callCombine(trace, "tile.reduce", combine),
      commutative: false,
    });
  },

  /**
   * Of each place what the elements up to it along an axis, it included, are combined by an associative function, in the order of the coordinates; with
   * `reverse`, those from it on. Warps meet where a row lies in several. W6206, W6207, W2010, W6209, W6521, W6524.
   */
  scan<T extends AnyTile>(x: T, axis: number, combine: (a: T, b: T) => T, options: ScanOptions = {}): T {
    const trace = currentTrace("tile.scan");
    checkOptionsHere(options, scanOptions);
    const given = wantTile(x, "tile.scan");
    const along = readAxis(axis, given, "tile.scan");
    const how = { what: "tile.scan", axis: along, combine: callCombine(trace, "tile.scan", combine), commutative: false };
    return scanTile(trace, given, how, readFlag(options.reverse, "`reverse`", false));
  },

  /**
   * Of each place of `indices` the element of x there, but with the index for the coordinate along the axis: along axis 1, x[i][indices[i][j]]. As the indices in shape
   * and layout; both tiles are as long along other axes, and each may lie as it wants. Indices are integers of up to 32 bits, from 0 to the extent - 1; what another one gives is
   * undefined, and `debug` tells (W7525). Warps meet as for `tile.convertLayout`. Gluon's `gather`. W6206, W6207, W6209, W6215.
   */
  gather<T extends AnyTile>(x: T, indices: Given, axis: number): T {
    const trace = currentTrace("tile.gather");
    const given = wantTile(x, "tile.gather");
    return gatherTile(trace, given, wantTile(indices, "tile.gather"), readAxis(axis, given, "tile.gather"));
  },

  /**
   * How many elements of x are 0, 1, … and `bins` - 1, as i32 [bins]; `bins` is a power of two. Of integers of up to 32 bits, in any shape; numbers that are no bin
   * are left out. Through atomics on shared memory, where all warps of the tile meet at three barriers. Gluon's `histogram`. W6204, W6205, W6206, W6209, W6210, W6212, W6215.
   */
  histogram(x: Given, bins: number, options: HistogramOptions = {}): number {
    const trace = currentTrace("tile.histogram");
    checkOptionsHere(options, histogramOptions);
    return countTile(trace, wantTile(x, "tile.histogram"), bins, options.layout);
  },

  /** A dimension of one element before `axis`, which goes beside a longer one: of a tile in a SliceLayout, the dimension that it lost. W6206, W6207, W6211. */
  expand<T extends AnyTile>(x: T, axis: number): T {
    const trace = currentTrace("tile.expand");
    const given = wantTile(x, "tile.expand");
    const { shape, layout, dtype } = given.type;
    if (isAuto(layout)) return expandOpen(trace, given, axis);
    if (layout.kind !== "slice" || layout.axis !== axis)
      return failHere("W6211", {
        what: "this `tile.expand`",
        why:
          layout.kind === "slice"
            ? `the tile lost dimension ${layout.axis}, not ${describe(axis)}`
            : "the tile is not in a SliceLayout",
      });
    const type: TileType = { kind: "tile", dtype, shape: shape.toSpliced(axis, 0, 1), layout: layout.of };
    return tileOf(first(trace.emit("tile.expand", { tile: given.value }, {}, { types: [type] })), type);
  },

  /** `yes` where the condition holds, `no` elsewhere, element by element; scalars go beside each. W6201, W6202. */
  where<T extends number | boolean>(condition: boolean, yes: T, no: T): T {
    const args = [condition, yes, no];
    return args.some(isStagedTile)
      ? elementwise(args, "`tile.where`", ([c, a, b]) => selectValue(c, a, b))
      : (selectValue(condition, yes, no) as T);
  },

  /**
   * acc + a @ b, by products of single warps (PTX `mma.sync`): the accumulator in an `MMALayout`, a and b in `DotOperandLayout`s of it, to which they are converted where they lie otherwise. f16 (summed in f16 or f32),
   * bf16, tf32, e4m3 and e5m2 (f32), i8 and u8 (i32), f64. Nothing has to be waited for. PTX ISA 9.7.14.5; Gluon's mma_v2. W6206, W6209, W6213, W6214.
   */
  dot(a: Given, b: Given, acc: Given): number {
    const trace = currentTrace("tile.dot");
    return dotTiles(trace, wantTile(a, "tile.dot"), wantTile(b, "tile.dot"), wantTile(acc, "tile.dot"));
  },

  /**
   * The same elements in another layout: by other names of registers where each thread has what it needs, through shuffles where its warp has it, else through
   * shared memory of the block, where all warps of the tile meet at two barriers. W6204, W6205, W6206, W6209, W6210, W6212.
   */
  convertLayout<T extends AnyTile>(x: T, layout: Layout): T {
    const trace = currentTrace("tile.convertLayout");
    const given = wantTile(x, "tile.convertLayout");
    const { dtype, shape } = given.type;
    const type = tileTypeHere(trace, dtype, shape, readLayout(layout, "`tile.convertLayout`"), given.what);
    const attrs = { warpgroups: warpgroupsMeeting(trace) };
    return tileOf(first(trace.emit("tile.convert_layout", { tile: given.value }, attrs, { types: [type] })), type);
  },

  /** The dimensions in that order; reversed without arguments. Every thread keeps its elements: the layout is transposed, too. W6206, W6211. */
  transpose<T extends AnyTile>(x: T, ...permutation: number[]): T {
    const trace = currentTrace("tile.transpose");
    const given = wantTile(x, "tile.transpose");
    const { shape, dtype } = given.type;
    const dims = shape.map((_, d) => d);
    const order = permutation.length === 0 ? dims.toReversed() : permutation;
    const what = "this `tile.transpose`";
    if (order.toSorted((a, b) => a - b).some((d, i) => d !== i) || order.length !== dims.length)
      failHere("W6211", { what, why: `(${order.join(", ")}) does not name each dimension of the tile once` });
    const layout = transposedLayout(given.type, order) ?? failHere("W6211", { what, why: "several warpgroups share the tile" });
    const type: TileType = { kind: "tile", dtype, shape: order.map((d) => shape[d] ?? 1), layout };
    return tileOf(first(trace.emit("tile.rearrange", { tile: given.value }, { permutation: order }, { types: [type] })), type);
  },

  /**
   * Two tiles of one shape, type and layout as one with a last dimension of 2: a at […, 0], b at […, 1]. Every thread keeps its elements, one of each beside the
   * other. Gluon's `join`. W6201, W6202, W6206, W6215.
   */
  join<T extends AnyTile>(a: T, b: T): T {
    const trace = currentTrace("tile.join");
    return toAuthor(joinTiles(trace, wantTile(a, "tile.join"), wantTile(b, "tile.join"), "tile.join"));
  },

  /** The reverse of `tile.join`: both halves of a tile whose last dimension is 2 and lies within a thread. Nothing moves. Gluon's `split`. W6206, W6215. */
  split<T extends AnyTile>(x: T): readonly [T, T] {
    const trace = currentTrace("tile.split");
    return splitTile(trace, wantTile(x, "tile.split"));
  },

  /** The elements of two tiles by turns along the last dimension, which becomes twice as long: a `tile.join`, reshaped. W6201, W6202, W6206, W6211, W6215. */
  interleave<T extends AnyTile>(a: T, b: T): T {
    const trace = currentTrace("tile.interleave");
    const joined = joinTiles(trace, wantTile(a, "tile.interleave"), wantTile(b, "tile.interleave"), "tile.interleave");
    const rest = joined.type.shape.slice(0, -1);
    return tile.reshape(toAuthor(joined), rest.with(-1, 2 * (rest.at(-1) ?? 1)));
  },

  /** The same elements in another shape, row by row. Every thread keeps its elements, so that the layout is another one. W6206, W6211. */
  reshape<T extends AnyTile>(x: T, shape: readonly number[]): T {
    const trace = currentTrace("tile.reshape");
    const given = wantTile(x, "tile.reshape");
    const { shape: from, dtype } = given.type;
    const count = (list: readonly number[]): number => list.reduce((n, extent) => n * extent, 1);
    const what = "this `tile.reshape`";
    if (count(from) !== count(shape))
      failHere("W6211", { what, why: `[${from.join(", ")}] has not as many elements as [${shape.join(", ")}]` });
    const layout =
      reshapedLayout(given.type, shape) ??
      failHere("W6211", { what, why: "an extent is no power of two, or several warpgroups share the tile" });
    const type: TileType = { kind: "tile", dtype, shape: [...shape], layout };
    return tileOf(
      first(trace.emit("tile.rearrange", { tile: given.value }, { permutation: undefined }, { types: [type] })),
      type,
    );
  },
});

/** Of a tile whose layout is open: it becomes one that has lost that dimension. W6207. */
function expandOpen(trace: Trace, { value, type }: StagedTile, axis: unknown): never {
  const rank = type.shape.length;
  if (typeof axis !== "number" || !Number.isInteger(axis) || axis < 0 || axis > rank)
    return failHere("W6207", { what: "`tile.expand`", given: describe(axis), rank: rank + 1 });
  const made: TileType = { ...type, shape: type.shape.toSpliced(axis, 0, 1), layout: openLayout(trace, rank + 1) };
  return tileOf(first(trace.emit("tile.expand", { tile: value }, {}, { types: [made] })), made);
}

/** Integers are summed as the hardware does: modulo 2^32, or 2^64. */
function wrappedSum(a: unknown, b: unknown): unknown {
  const trace = currentTrace("tile.sum");
  if (!isStagedScalar(a) || !isStagedScalar(b)) throw new Error("elements are staged");
  return scalar(first(trace.emit("add", { a: a.value, b: b.value }, {})));
}
