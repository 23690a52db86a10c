/** The views that the compiler computes addresses of: passes/tile-level/expand/addresses.ts writes them as ops. As linear maps the same layouts are in test/layouts/shared-maps.ts, which is compared with them. */
import type { Swizzle } from "../../base/types.ts";

/**
 * Where the elements of a view lie: each dimension is one or more modes, outermost first, and an index of the dimension is split
 * over them like the digits of a number. A plain dimension is one mode; one that is stored in panels is two.
 */
export interface Mode {
  readonly extent: number;
  /** Bytes between neighbours. */
  readonly stride: number;
  /** Of the outermost of several modes: how many elements the dimension has less than its modes count. It ends inside a panel. */
  readonly unused?: number;
}
export type Dimension = readonly Mode[];
export type Layout = readonly Dimension[];

const counted = (modes: Dimension): number => modes.reduce((n, m) => n * m.extent, 1);
export const extentOf = (dimension: Dimension): number => counted(dimension) - (dimension[0]?.unused ?? 0);
const endsInside = (dimension: Dimension): boolean => (dimension[0]?.unused ?? 0) > 0;
export const shapeOf = (layout: Layout): number[] => layout.map(extentOf);

/** Neighbouring modes that are one run of equal strides become one; extents of 1 vanish. */
function coalesce(dimension: Dimension): Dimension {
  const out: Mode[] = [];
  for (const mode of dimension) {
    const before = out.at(-1);
    if (mode.extent === 1) continue;
    if (before && before.stride === mode.extent * mode.stride)
      out[out.length - 1] = { extent: before.extent * mode.extent, stride: mode.stride };
    else out.push(mode);
  }
  return out.length > 0 ? out : [{ extent: 1, stride: dimension.at(-1)?.stride ?? 0 }];
}

/** The first `count` elements of what these modes count; the last panel has some of them. */
function firstOf(modes: Dimension, count: number): Dimension {
  const [outer, ...inner] = coalesce(modes);
  if (!outer || inner.length === 0) return [{ extent: count, stride: outer?.stride ?? 0 }];
  const unused = outer.extent * counted(inner) - count;
  return [{ extent: outer.extent, stride: outer.stride, ...(unused > 0 ? { unused } : {}) }, ...inner];
}

/** Dense, row-major. */
export function rowMajor(shape: readonly number[], bytes: number): Layout {
  let stride = bytes;
  return shape
    .toReversed()
    .map((extent) => {
      const mode = { extent, stride };
      stride *= extent;
      return [mode];
    })
    .toReversed();
}

/** Dense, with the innermost dimension in panels of `width` elements: leading dimensions outermost, then panels, rows, elements. */
export function panelled(shape: readonly number[], bytes: number, width: number): Layout {
  const columns = shape.at(-1) ?? 1;
  if (columns <= width || shape.length < 2) return rowMajor(shape, bytes);
  const split = [...shape.slice(0, -2), columns / width, shape.at(-2) ?? 1, width];
  const dims = rowMajor(split, bytes);
  const [panels, rows, inner] = dims.slice(-3).map((d) => d[0]) as [Mode, Mode, Mode];
  return [...dims.slice(0, -3), [rows], [panels, inner]];
}

/** Row-major, with `by` elements left free after each `every`; undefined where so many end inside a row and do not divide it. */
export function padded(
  shape: readonly number[],
  bytes: number,
  { every, by }: { every: number; by: number },
): Layout | undefined {
  const out: Dimension[] = [];
  let inner = 1;
  for (const extent of shape.toReversed()) {
    const side = every / inner;
    const beyond = (step: number): number => (step + Math.floor(step / every) * by) * bytes;
    if (extent <= side || side <= 1) {
      if (side > 1 ? side % extent !== 0 : inner % every !== 0) return undefined;
      out.unshift([{ extent, stride: beyond(inner) }]);
    } else {
      if (extent % side !== 0) return undefined;
      out.unshift([
        { extent: extent / side, stride: beyond(every) },
        { extent: side, stride: inner * bytes },
      ]);
    }
    inner *= extent;
  }
  return out;
}

/** Bytes from the first element of a view to the end of the last one. */
export const spanOf = (layout: Layout, bytes: number): number =>
  layout.reduce((sum, dimension) => sum + offsetIn(dimension, extentOf(dimension) - 1), bytes);

/** Bytes from the first element to element `index` of a dimension. */
export function offsetIn(dimension: Dimension, index: number): number {
  let rest = index;
  let offset = 0;
  for (let i = dimension.length - 1; i > 0; i--) {
    const { extent, stride } = dimension[i] as Mode;
    offset += (rest % extent) * stride;
    rest = Math.floor(rest / extent);
  }
  return offset + rest * (dimension[0]?.stride ?? 0);
}

/** Elements of a dimension that lie side by side from element `from` on; from one that is not known, those of a whole panel. */
export function neighboursFrom(dimension: Dimension, bytes: number, from: number | undefined): number {
  const inner = dimension.at(-1);
  const side = inner?.stride === bytes ? inner.extent : 1;
  return Math.max(1, from === undefined ? side : Math.min(side - (from % side), extentOf(dimension) - from));
}

/** Is each of `steps` as far from each of `starts` as from element 0? */
export function stepsAdd(dimension: Dimension, starts: readonly number[], steps: readonly number[]): boolean {
  if (dimension.length <= 1) return true;
  const offsets = starts.map((start) => offsetIn(dimension, start));
  return steps.every((step) => {
    const far = offsetIn(dimension, step);
    return starts.every((start, i) => offsetIn(dimension, start + step) === (offsets[i] ?? 0) + far);
  });
}

/** The elements from `start` on, `count` of them, where they are a view again; `offset` in bytes. Undefined where they are not. */
export function slice(
  dimension: Dimension,
  start: number,
  count: number,
): { readonly dimension: Dimension; readonly offset: number } | undefined {
  const inner = dimension.at(-1);
  if (!inner) return undefined;
  if (dimension.length === 1) return { dimension: [{ extent: count, stride: inner.stride }], offset: start * inner.stride };
  const outer = dimension.slice(0, -1);
  const panel = Math.floor(start / inner.extent);
  if (Math.floor((start + count - 1) / inner.extent) === panel) {
    return {
      dimension: [{ extent: count, stride: inner.stride }],
      offset: offsetIn(outer, panel) + (start % inner.extent) * inner.stride,
    };
  }
  if (start % inner.extent !== 0) return undefined;
  const panels = slice(outer, panel, Math.ceil(count / inner.extent));
  return panels && { dimension: firstOf([...panels.dimension, inner], count), offset: panels.offset };
}

/** Every `step`th element from the first one on, `count` of them; undefined where a panel would not begin with one of them. */
export function stepped(dimension: Dimension, step: number, count: number): Dimension | undefined {
  const inner = dimension.at(-1);
  if (!inner || step === 1) return dimension;
  if (dimension.length > 1 && inner.extent % step !== 0) return undefined;
  const extent = dimension.length > 1 ? inner.extent / step : count;
  return firstOf([...dimension.slice(0, -1), { extent, stride: inner.stride * step }], count);
}

/** The same elements in the same row-major order under another shape; undefined where a dimension would have no regular strides. */
export function regroup(layout: Layout, shape: readonly number[]): Layout | undefined {
  if (layout.some(endsInside)) return undefined;
  const modes = [...coalesce(layout.flat())];
  const out: Dimension[] = [];
  for (const extent of shape.toReversed()) {
    const dimension: Mode[] = [];
    let rest = extent;
    while (rest > 1) {
      const mode = modes.pop();
      if (!mode) return undefined;
      if (rest % mode.extent === 0) {
        dimension.unshift(mode);
        rest /= mode.extent;
      } else if (mode.extent % rest === 0) {
        dimension.unshift({ extent: rest, stride: mode.stride });
        modes.push({ extent: mode.extent / rest, stride: mode.stride * rest });
        rest = 1;
      } else return undefined;
    }
    out.unshift(dimension.length > 0 ? coalesce(dimension) : [{ extent: 1, stride: modes.at(-1)?.stride ?? 0 }]);
  }
  return modes.every((m) => m.extent === 1) ? out : undefined;
}

/** True where the elements fill a run of bytes without gaps, in any order. */
export function isDense(layout: Layout, bytes: number): boolean {
  if (layout.some(endsInside)) return false;
  let next = bytes;
  for (const mode of layout
    .flat()
    .filter((m) => m.extent > 1)
    .sort((a, b) => a.stride - b.stride)) {
    if (mode.stride !== next) return false;
    next = mode.stride * mode.extent;
  }
  return true;
}

/** True where the elements lie one after the other in row-major order. */
export function isRowMajor(layout: Layout, bytes: number): boolean {
  if (layout.some(endsInside)) return false;
  let next = bytes;
  for (const mode of layout.flat().toReversed()) {
    if (mode.extent === 1) continue;
    if (mode.stride !== next) return false;
    next = mode.stride * mode.extent;
  }
  return true;
}

/** An exclusive or of one's own: so many bits of an offset, from which on, take those that lie so much higher. CuTe's Swizzle<bits, base, shift>, of bytes. */
export type Xor = `xor${number}:${number}:${number}`;
/** How the offsets of a view are swizzled: as TMA and wgmma do it, or by an exclusive or of one's own. */
export type ViewSwizzle = Swizzle | Xor;

interface SwizzleBits {
  readonly bits: number;
  readonly base: number;
  readonly shift: number;
}

/** Bits 4 to 6 of an address take those from 7 on. PTX ISA 5.5.7. */
const hardware: Readonly<Record<Swizzle, SwizzleBits>> = {
  none: { bits: 0, base: 4, shift: 3 },
  "32B": { bits: 1, base: 4, shift: 3 },
  "64B": { bits: 2, base: 4, shift: 3 },
  "128B": { bits: 3, base: 4, shift: 3 },
};

export const xorOf = ({ bits, base, shift }: SwizzleBits): Xor => `xor${bits}:${base}:${shift}`;
export const isXor = (swizzle: ViewSwizzle): swizzle is Xor => swizzle.startsWith("xor");

export function swizzleBits(swizzle: ViewSwizzle): SwizzleBits {
  if (!isXor(swizzle)) return hardware[swizzle];
  const [bits = 0, base = 0, shift = 0] = swizzle.slice("xor".length).split(":").map(Number);
  return { bits, base, shift };
}

/** One that TMA and wgmma have; a view with another one has been refused before. */
export function hardwareSwizzle(swizzle: ViewSwizzle): Swizzle {
  if (isXor(swizzle)) throw new TypeError(`${swizzle} where the hardware swizzles`);
  return swizzle;
}

/** The bits of an offset that change. */
export const swizzleMask = (swizzle: ViewSwizzle): number => {
  const { bits, base } = swizzleBits(swizzle);
  return ((1 << bits) - 1) << base;
};

/** Chunks of 16 bytes in one row of a swizzle's pattern, which has eight rows; 1 without one. */
export const rowChunks = (swizzle: Swizzle): number => 1 << hardware[swizzle].bits;

/** Bytes after which a swizzle's pattern repeats: where a buffer must begin that the hardware swizzles. 1 without one. */
export function patternBytes(swizzle: ViewSwizzle): number {
  const { bits, base, shift } = swizzleBits(swizzle);
  return bits === 0 ? 1 : 2 ** (base + shift + bits);
}

/** Bytes that a swizzle leaves side by side. */
export const chunkBytes = (swizzle: ViewSwizzle): number =>
  swizzleBits(swizzle).bits === 0 ? Number.POSITIVE_INFINITY : 2 ** swizzleBits(swizzle).base;

/** Bytes within which chunks change places. */
export const spanBytes = (swizzle: ViewSwizzle): number => 2 ** (swizzleBits(swizzle).base + swizzleBits(swizzle).bits);

/** A byte offset from the beginning of a pattern, swizzled. */
export const swizzled = (offset: number, swizzle: ViewSwizzle): number =>
  offset ^ ((offset >> swizzleBits(swizzle).shift) & swizzleMask(swizzle));
