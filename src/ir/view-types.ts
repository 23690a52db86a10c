import { getOrMake } from "../base/get-or-make.ts";
import type { DType } from "../base/types.ts";
import { layoutText, type MatrixSpread, readSpread, type Spread } from "../layout/index.ts";
import type { Dimension, Layout, Mode, ViewSwizzle } from "../layout/modes/index.ts";
import { type FragmentType, fragmentText, readFragment } from "./fragment-type.ts";

/**
 * Types of the tile level: what the author indexes, and what a group of threads holds together. All that is static about such a value is in
 * its type; what stands for it on the machine level is up to the passes.
 */

/** A part of shared memory, of this block or of another one of its cluster. `align`: bytes that divide where its buffer begins. */
export interface SharedViewType {
  readonly kind: "view";
  readonly space: "shared" | "cluster";
  readonly dtype: DType;
  readonly layout: Layout;
  readonly swizzle: ViewSwizzle;
  readonly align: number;
}

/** A dimension of a tensor, in elements; undefined where the host passes it at launch. `limit`: the extent of the tensor's own dimension. */
export interface TensorDim {
  readonly extent: number | undefined;
  readonly stride: number | undefined;
  readonly limit: number | undefined;
}

/** A part of global memory. `wide`: its offsets need 64 bits. `align`: bytes that divide the address of the tensor. */
export interface TensorViewType {
  readonly kind: "view";
  readonly space: "global";
  readonly dtype: DType;
  readonly dims: readonly TensorDim[];
  readonly wide: boolean;
  readonly align: number;
}

export type ViewType = SharedViewType | TensorViewType;

/** A block of elements over the registers of threads. */
export interface TileType extends Spread {
  readonly kind: "tile";
  readonly dtype: DType;
}

/** A tile that lies as the accumulators of wgmma do. */
export interface MatrixType extends MatrixSpread {
  readonly kind: "tile";
  readonly dtype: DType;
}

/** Columns that an accumulator of the hardware can have. */
const accumulates = ({ shape: [rows = 0, cols = 0], layout }: Spread): boolean =>
  layout.kind === "wgmma" && rows % (64 * layout.warpgroups) === 0 && cols % 8 === 0 && rows > 0 && cols > 0;

export const isMatrix = (t: TileType): t is MatrixType => t.layout.kind === "wgmma" && accumulates(t);

/**
 * One side of a product: a matrix in shared memory, whose `chosen` leading dimensions are chosen already, or (`view` undefined) in registers.
 * `major`: what the author says of it.
 */
export interface OperandType {
  readonly kind: "operand";
  readonly dtype: DType;
  readonly rows: number;
  readonly cols: number;
  readonly view: SharedViewType | undefined;
  readonly chosen: number;
  readonly major: "k" | "mn" | undefined;
}

const modeText = ({ extent, stride, unused = 0 }: Mode): string => `${extent}${unused > 0 ? `-${unused}` : ""}:${stride}`;
const dimensionText = (d: Dimension): string => d.map(modeText).join("+");
const known = (n: number | undefined): string => (n === undefined ? "?" : String(n));
const dimText = ({ extent, stride, limit }: TensorDim): string =>
  `${known(extent)}${extent === limit ? "" : `/${known(limit)}`}:${known(stride)}`;

function viewText(t: ViewType): string {
  if (t.space === "global")
    return `global ${t.dtype} [${t.dims.map(dimText).join(", ")}]${t.wide ? " wide" : ""} align ${t.align}`;
  const swizzle = t.swizzle === "none" ? "" : ` swizzle ${t.swizzle}`;
  return `${t.space} ${t.dtype} [${t.layout.map(dimensionText).join(", ")}]${swizzle} align ${t.align}`;
}

const tileText = ({ dtype, shape, layout }: TileType): string => `${dtype} ${shape.join("x") || "-"} ${layoutText(layout)}`;

function operandText(t: OperandType): string {
  const head = `${t.dtype} ${t.rows}x${t.cols}${t.major === undefined ? "" : ` ${t.major}`}`;
  return t.view ? `${head} chosen ${t.chosen} of ${viewText(t.view)}` : `${head} in registers`;
}

/** What stands between the quotes. */
function aggregateText(t: ViewType | TileType | OperandType | FragmentType): string {
  switch (t.kind) {
    case "view":
      return viewText(t);
    case "tile":
      return tileText(t);
    case "operand":
      return operandText(t);
    case "fragment":
      return fragmentText(t);
  }
}

const names = new WeakMap<object, string>();

/** As printed: `view<"shared f16 [64:128, 64:2] swizzle 128B align 1024">`: each dimension is extent:stride, in bytes; in panels outer+inner. */
export function aggregateName(t: ViewType | TileType | OperandType | FragmentType): string {
  return getOrMake(names, t, () => `${t.kind}<"${aggregateText(t)}">`);
}

const number = (text: string): number | undefined => (text === "?" ? undefined : Number(text));

function readMode(text: string): Mode {
  const [, extent, unused, stride] = /^(\d+)(?:-(\d+))?:(-?\d+)$/.exec(text) ?? [];
  const mode = { extent: Number(extent), stride: Number(stride) };
  return unused === undefined ? mode : { ...mode, unused: Number(unused) };
}

function readDim(text: string): TensorDim {
  const [, extent = "", limit = extent, stride = ""] = /^([\d?]+)(?:\/([\d?]+))?:(-?\d+|\?)$/.exec(text) ?? [];
  return { extent: number(extent), stride: number(stride), limit: number(limit) };
}

function readView(text: string): ViewType | undefined {
  const [, space, dtype, list = "", wide, swizzle, align] =
    /^(global|shared|cluster) (\w+) \[([^\]]*)\]( wide)?(?: swizzle (\S+))? align (\d+)$/.exec(text) ?? [];
  if (space === undefined) return undefined;
  const dims = list === "" ? [] : list.split(", ");
  const common = { kind: "view", dtype: dtype as DType, align: Number(align) } as const;
  if (space === "global") return { ...common, space, dims: dims.map(readDim), wide: wide !== undefined };
  const layout = dims.map((d) => d.split("+").map(readMode));
  return { ...common, space: space as "shared" | "cluster", layout, swizzle: (swizzle ?? "none") as ViewSwizzle };
}

function readTile(text: string): TileType | undefined {
  const [, dtype, extents = "", lies = ""] = /^(\w+) (\d+(?:x\d+)*|-) (.*)$/.exec(text) ?? [];
  const spread = readSpread(extents === "-" ? [] : extents.split("x").map(Number), lies);
  return spread && { kind: "tile", dtype: dtype as DType, ...spread };
}

function readOperand(text: string): OperandType | undefined {
  const [, dtype, rows, cols, major, chosen = "0", viewed] =
    /^(\w+) (\d+)x(\d+)(?: (k|mn))?(?: chosen (\d+) of (.*)| in registers)$/.exec(text) ?? [];
  if (dtype === undefined) return undefined;
  const view = viewed === undefined ? undefined : readView(viewed);
  if ((viewed !== undefined && view === undefined) || view?.space === "global") return undefined;
  return {
    kind: "operand",
    dtype: dtype as DType,
    rows: Number(rows),
    cols: Number(cols),
    view,
    chosen: Number(chosen),
    major: major as "k" | "mn" | undefined,
  };
}

/** Reads what stands between the quotes of `aggregateName`; undefined where that is none. */
export function readAggregate(kind: string, text: string): ViewType | TileType | OperandType | FragmentType | undefined {
  if (kind === "view") return readView(text);
  if (kind === "tile") return readTile(text);
  if (kind === "fragment") return readFragment(text);
  return kind === "operand" ? readOperand(text) : undefined;
}

/** Dimensions of a view. */
export const viewRank = (t: ViewType): number => (t.space === "global" ? t.dims.length : t.layout.length);
