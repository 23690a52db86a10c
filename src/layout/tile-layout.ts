/** How the elements of a tile lie in the registers of threads: what a tile's type says, and the linear map that it stands for. */
import { blocked } from "./blocked.ts";
import { fit, registersWithin, slice } from "./fit.ts";
import { type LinearLayout, linear, outputSize } from "./linear-layout.ts";
import { mmaAccumulator, mmaOperand, sparseMetadata, wgmmaAccumulator, wgmmaOperand } from "./matrix-fragments.ts";
import { layoutRank, type SliceLayout, type Spread, type TileLayout } from "./tile-kinds.ts";
import { layoutText } from "./tile-text.ts";

export {
  type AutoLayout,
  autoOfRank,
  expandedAxis,
  isAuto,
  layoutRank,
  type MatrixSpread,
  type MmaLayout,
  type SliceLayout,
  type Spread,
  sliceOf,
  type TileLayout,
  type WgmmaLayout,
} from "./tile-kinds.ts";
export { layoutText, readSpread } from "./tile-text.ts";

/** The layout that all slices were taken from, and its dimensions that are left. */
interface Root {
  readonly layout: Exclude<TileLayout, SliceLayout>;
  readonly dims: readonly number[];
}

function rootOf(layout: TileLayout): Root {
  if (layout.kind !== "slice") return { layout, dims: Array.from({ length: layoutRank(layout) }, (_, d) => d) };
  const root = rootOf(layout.of);
  return { ...root, dims: root.dims.filter((_, d) => d !== layout.axis) };
}

const groupsIn = (layout: Root["layout"]): number => ("warpgroups" in layout ? layout.warpgroups : 1);

/** The warpgroups that share a tile: each has the same part of it, further down. */
export const warpgroupsOf = ({ layout }: { readonly layout: TileLayout }): number => groupsIn(rootOf(layout).layout);

/** The warps that a tile lies in; undefined where it is in each warpgroup, or in as many as share it. */
export function warpsOf({ layout }: { readonly layout: TileLayout }): number | undefined {
  const root = rootOf(layout).layout;
  if (root.kind === "auto") return root.over;
  if ("warps" in root) return root.warps.reduce((n, extent) => n * extent, 1);
  return root.kind === "linear" ? 2 ** root.warp.length : undefined;
}

/** Where warpgroups share a tile out: the dimension, and its extent in each; undefined where all have the same. */
export function sharedOut({ shape, layout }: Spread): { readonly dim: number; readonly each: number } | undefined {
  const root = rootOf(layout);
  const groups = groupsIn(root.layout);
  const dim = root.dims.indexOf(0);
  const extent = shape[dim] ?? 1;
  return groups > 1 && dim >= 0 && extent > 1 ? { dim, each: extent / groups } : undefined;
}

/** Rows of the tile that one warpgroup holds. */
export function rowsEach(tile: Spread): number {
  const out = sharedOut(tile);
  return out && out.dim === 0 ? out.each : (tile.shape[0] ?? 1);
}

/** The shape of the part that one warpgroup holds, of those that share it. */
export function partShape(tile: Spread): readonly number[] {
  const out = sharedOut(tile);
  return out ? tile.shape.with(out.dim, out.each) : tile.shape;
}

/** The name of a dimension that is 0 in the list, and so on. */
const nameOf = (d: number): string => `d${d}`;
const named = (list: readonly number[]): Record<string, number> => Object.fromEntries(list.map((n, d) => [nameOf(d), n]));

const notChosen = (): never => {
  throw new TypeError("a layout that no pass has chosen");
};

/** The least extent of a dimension that a layout gives each of its places. */
function leastExtent(layout: TileLayout, d: number): number {
  switch (layout.kind) {
    case "auto":
      return notChosen();
    case "wgmma":
      return d === 0 ? 64 : 8;
    case "operand":
      return d === 0 ? 64 : 8 * layout.width;
    case "metadata":
      return d === 0 ? 64 : 4;
    case "mma":
      return d === 0 ? 16 * layout.warps[0] : 8 * layout.warps[1];
    case "mma operand":
      if (d === (layout.operand === "A" ? 1 : 0)) return 4 * layout.width;
      return d === 0 ? 16 * layout.warps[0] : 8 * layout.warps[1];
    case "blocked":
      return (layout.perThread[d] ?? 1) * (layout.threads[d] ?? 1) * (layout.warps[d] ?? 1);
    case "linear":
      return layout.extents[d] ?? 1;
    case "slice":
      return leastExtent(layout.of, d < layout.axis ? d : d + 1);
  }
}

/** Row and column are the first and the second dimension. */
const numbered = ({ inputs, outputs }: LinearLayout): LinearLayout => ({
  inputs,
  outputs: outputs.map(({ size }, d) => ({ name: nameOf(d), size })),
});

const byRows = ([m, n]: readonly [number, number]): { m: number; n: number } => ({ m, n });

function linearOf(layout: TileLayout, shape: readonly number[]): LinearLayout {
  const [rows = 1, cols = 1] = shape;
  const fitted = (whole: LinearLayout): LinearLayout => fit(whole, named(shape));
  switch (layout.kind) {
    case "auto":
      return notChosen();
    case "wgmma": {
      const whole = numbered(wgmmaAccumulator({ rows: Math.max(64, rows), cols: Math.max(8, cols) }));
      return rows < 64 || cols < 8 ? fitted(whole) : whole;
    }
    case "operand":
      return fitted(numbered(wgmmaOperand({ bits: (32 / layout.width) as 8 | 16 | 32 })));
    case "metadata":
      return fitted(numbered(sparseMetadata(layout.bytes)));
    case "mma":
      return fitted(numbered(mmaAccumulator(byRows(layout.warps))));
    case "mma operand": {
      const { operand, width, warps } = layout;
      // Both halves of an instruction's K first: one ldmatrix then gives them in neighbouring registers, as the product takes them.
      const k = Math.max(4, Math.min(8, (operand === "A" ? cols : rows) / width)) * width;
      return fitted(numbered(mmaOperand({ operand, kWidth: width, k, warps: byRows(warps) })));
    }
    case "blocked":
      return fitted(
        blocked({
          perThread: named(layout.perThread),
          threads: named(layout.threads),
          warps: named(layout.warps),
          order: layout.order.map(nameOf),
        }),
      );
    case "linear":
      return fitted(linear({ register: layout.register, lane: layout.lane, warp: layout.warp }, named(layout.extents)));
    case "slice": {
      const { of, axis } = layout;
      const before = linearOf(of, shape.toSpliced(axis, 0, leastExtent(of, axis)));
      return numbered(slice(before, nameOf(axis)));
    }
  }
}

/** What is asked for of each layout again and again. */
interface Found {
  readonly linear: LinearLayout;
  /** The registers of the map that exist, of which each thread has an element. */
  readonly registers: readonly number[];
  readonly places: readonly (readonly number[])[];
}
const found = new Map<string, Found>();
const foundOf = new WeakMap<Spread, Found>();

/** The element in each register of thread 0: each bit of a register moves those of the lower bits by what it adds. */
function registerPlaces({ inputs, outputs }: LinearLayout): readonly (readonly number[])[] {
  const places: (readonly number[])[] = [outputs.map(() => 0)];
  const bases = inputs.find((d) => d.name === "register")?.bases ?? [];
  for (const basis of bases) for (const place of [...places]) places.push(place.map((x, d) => x ^ (basis[d] ?? 0)));
  return places;
}

function find(tile: Spread): Found {
  const own = foundOf.get(tile);
  if (own) return own;
  const part = partShape(tile);
  const key = `${part.join("x")} ${layoutText(tile.layout)}`;
  let known = found.get(key);
  if (!known) {
    const whole = linearOf(tile.layout, part);
    const all = registerPlaces(whole);
    const registers = registersWithin(whole, named(part));
    known = { linear: whole, registers, places: registers.map((register) => all[register] as readonly number[]) };
    found.set(key, known);
  }
  foundOf.set(tile, known);
  return known;
}

/**
 * The part of one warpgroup, or of all warps: from register, lane and warp to d0, d1, … RangeError where an extent is no power of two and
 * the layout does not keep what lies outside of it apart.
 */
export const linearLayout = (tile: Spread): LinearLayout => find(tile).linear;

/** The elements that a thread holds, in the order of its registers, as coordinates from its first one. */
export const elementPlaces = (tile: Spread): readonly (readonly number[])[] => find(tile).places;

/** The registers of the linear map that hold them. */
export const elementRegisters = (tile: Spread): readonly number[] => find(tile).registers;

export const elementsPerThread = (tile: Spread): number => elementPlaces(tile).length;

/** Which threads have parts of one row, or of one column. */
export interface Sharers {
  /** Lanes whose numbers differ in these bits, each a power of two, and in nothing else. */
  readonly lanes: readonly number[];
  /** The same for warps. */
  readonly warps: readonly number[];
  /** Whether other warpgroups have parts of it, too. */
  readonly warpgroups: boolean;
}

/** Who shares what a reduction along that axis combines. RangeError where a bit of a thread moves along other axes, too. */
export function sharersAlong(tile: Spread, axis: number): Sharers {
  const { inputs } = linearLayout(tile);
  const along = (name: string): number[] =>
    (inputs.find((d) => d.name === name)?.bases ?? []).flatMap((basis, bit) => {
      if ((basis[axis] ?? 0) === 0) return [];
      if (basis.some((x, d) => d !== axis && x !== 0))
        throw new RangeError("Threads that share a row differ in nothing but the column.");
      return [2 ** bit];
    });
  return { lanes: along("lane"), warps: along("warp"), warpgroups: sharedOut(tile)?.dim === axis };
}

const repeatedBits = (tile: Spread, name: string): number =>
  (linearLayout(tile).inputs.find((d) => d.name === name)?.bases ?? []).reduce(
    (mask, basis, bit) => (basis.every((x) => x === 0) ? mask + 2 ** bit : mask),
    0,
  );

/** The bits of a lane's number that make no difference to what it holds. */
export const repeatedLanes = (tile: Spread): number => repeatedBits(tile, "lane");
/** The same of a warp's number, among the warps of its part. */
export const repeatedWarps = (tile: Spread): number => repeatedBits(tile, "warp");

/** Elements of a thread that lie side by side along a dimension, from its first one: a power of two, at most `most`. */
export function neighbours(tile: Spread, d: number, most: number): number {
  const { inputs } = linearLayout(tile);
  const bases = inputs.find((i) => i.name === "register")?.bases ?? [];
  const has = (step: number): boolean => bases.some((basis) => basis.every((x, at) => x === (at === d ? step : 0)));
  let count = 1;
  while (2 * count <= most && count < outputSize(linearLayout(tile), nameOf(d)) && has(count)) count *= 2;
  return count;
}

/**
 * The dimension along K of a tile whose words of 32 bits lie over lanes as ldmatrix gives them: an operand of mma.sync, of at least eight lines of
 * 16 bytes. Undefined for others. PTX ISA 9.7.14.5.15.
 */
export function matrixDimension({ shape, layout }: Spread, bytes: number): number | undefined {
  if (layout.kind !== "mma operand" || layout.width * bytes !== 4) return undefined;
  const along = layout.operand === "A" ? 1 : 0;
  return (shape[along] ?? 0) >= 4 * layout.width && (shape[1 - along] ?? 0) >= 8 ? along : undefined;
}
