/**
 * Layouts of shared memory as linear maps from offsets to elements (docs/layouts.md): what the views of the compiler, src/layout/modes, are compared with. They are
 * written from the definition of each layout, and share nothing with the views.
 */
import type { Swizzle } from "../../src/base/types.ts";
import { powerOfTwoFrom, powersBelow } from "../../src/layout/bits.ts";
import { frame, identity, repeated } from "../../src/layout/blocked.ts";
import { compose, product, pseudoInverse } from "../../src/layout/compose.ts";
import { apply, inputSize, type LinearLayout, linear, type Point, type Shape } from "../../src/layout/linear-layout.ts";

/** How many bits of an address from 7 on a swizzle adds to those from 4 on: PTX ISA 5.5.7. */
const swizzleBits: Readonly<Record<Swizzle, number>> = { none: 0, "32B": 1, "64B": 2, "128B": 3 };

/** Bytes after which the pattern of a swizzle repeats. */
const patternBytes = (kind: Swizzle): number => (kind === "none" ? 1 : 128 << swizzleBits[kind]);

/** From the offset in memory to the offset that the swizzle took there. It is its own inverse. */
export function swizzle(kind: Swizzle, bytes: number): LinearLayout {
  const moved = (bit: number): boolean => bit >= 7 && bit < 7 + swizzleBits[kind];
  return linear(
    { offset: powersBelow(bytes).map((power, bit) => [moved(bit) ? power | (power >> 3) : power]) },
    { offset: bytes },
  );
}

/** Part of a dimension, in the order in which memory counts: digits of an index, the fastest first. */
type Digit = readonly [name: string, extent: number];

/** Elements whose extents are the next powers of two. */
function counted(names: readonly string[], elementBytes: number, digits: readonly Digit[]): LinearLayout {
  const element = product(frame(["offset"], names), repeated(elementBytes, "offset", names[0] ?? "row"));
  return digits.reduce((layout, [name, extent]) => product(layout, identity(powerOfTwoFrom(extent), "offset", name)), element);
}

/** Elements one after the other, the last dimension fastest, or the first of `order`. Extents are powers of two. */
export const rowMajor = (shape: Shape, elementBytes: number, order = Object.keys(shape).toReversed()): LinearLayout =>
  counted(
    Object.keys(shape),
    elementBytes,
    order.map((name) => [name, powerOfTwo(name, shape[name] ?? 1)]),
  );

function powerOfTwo(name: string, extent: number): number {
  if (powerOfTwoFrom(extent) !== extent) throw new RangeError(`The extent of ${name} is ${extent}, which is no power of two.`);
  return extent;
}

/** The digits of a row-major shape, with a last dimension wider than `width` elements cut into panels: those come after the rows. */
function panelDigits(shape: Shape, width: number): readonly Digit[] {
  const digits = Object.entries(shape).toReversed();
  const [last, row, ...leading] = digits;
  if (!last || !row || last[1] <= width) return digits;
  return [[last[0], width], row, [last[0], Math.ceil(last[1] / width)], ...leading];
}

export interface NvmmaShared {
  readonly shape: Shape;
  readonly elementBytes: number;
  readonly swizzle: Swizzle;
  /** The first of two dimensions is the one whose neighbours are neighbours in memory. */
  readonly transposed?: boolean;
}

/**
 * Shared memory as TMA and wgmma want it (Gluon's NVMMASharedLayout): rows as wide as the swizzle, the swizzle, and where rows are
 * wider, panels. Without a swizzle rows are whole. Extents are powers of two; `sharedLayout` takes others.
 */
export function nvmmaShared({ shape, elementBytes, swizzle: kind, transposed = false }: NvmmaShared): LinearLayout {
  for (const [name, extent] of Object.entries(shape)) powerOfTwo(name, extent);
  const names = Object.keys(shape);
  const stored = transposed ? Object.fromEntries(Object.entries(shape).toReversed()) : shape;
  const plain = counted(names, elementBytes, panelDigits(stored, panelWidth(kind, elementBytes)));
  return compose(swizzle(kind, inputSize(plain, "offset")), plain);
}

/** Elements of a panel. */
const panelWidth = (kind: Swizzle, elementBytes: number): number =>
  kind === "none" ? Number.POSITIVE_INFINITY : (16 << swizzleBits[kind]) / elementBytes;

export interface SwizzledShared {
  readonly shape: Shape;
  readonly elementBytes: number;
  /** Elements that stay together; rows of one phase; how many phases there are until the first comes again. Powers of two. */
  readonly vector: number;
  readonly perPhase: number;
  readonly maxPhase: number;
  /** The dimensions, fastest first; without it the last one is fastest. */
  readonly order?: readonly string[];
}

/** Rows whose vectors change places by the number of the row: Gluon's SwizzledSharedLayout. */
export function swizzledShared(options: SwizzledShared): LinearLayout {
  const { shape, elementBytes, vector, perPhase, maxPhase } = options;
  const names = Object.keys(shape);
  const order = options.order ?? names.toReversed();
  const [col = "", row = ""] = order;
  const places = rowMajor(shape, elementBytes, [...order]);
  const phase = (i: number): number => (vector * (Math.floor(i / perPhase) % maxPhase)) % (shape[col] ?? 1);
  const moved = (name: string, power: number): number[] =>
    names.map((other) => (other === name ? power : name === row && other === col ? phase(power) : 0));
  const phases = Object.fromEntries(
    names.map((name) => [name, powersBelow(shape[name] ?? 1).map((power) => moved(name, power))]),
  );
  return compose(places, linear(phases, shape));
}

/** Bytes that are put in after each so many; negative where bytes are left out. */
export interface Padding {
  readonly every: number;
  readonly by: number;
}

/**
 * Where the elements of a tile of any extents lie. Padding is no linear map over bits, and neither is a pitch that is no power of two, so
 * they stand beside one: an element's place is its offset in `layout`, then moved by the paddings, then swizzled.
 */
export interface SharedLayout {
  readonly shape: Shape;
  /** Of the next powers of two, from offset to element; neither padded nor swizzled. */
  readonly layout: LinearLayout;
  /** All count the offsets of `layout`. */
  readonly paddings: readonly Padding[];
  readonly swizzle: Swizzle;
}

/** A dense tile in panels of the swizzle's width. An extent that is no power of two is one whose rest is left out: a negative padding. */
export function sharedLayout({ shape, elementBytes, swizzle: kind }: Omit<NvmmaShared, "transposed">): SharedLayout {
  const digits = panelDigits(shape, panelWidth(kind, elementBytes));
  const paddings: Padding[] = [];
  let [every, stride] = [elementBytes, elementBytes];
  for (const [, extent] of digits.slice(0, -1)) {
    const whole = powerOfTwoFrom(extent);
    every *= whole;
    if (whole !== extent) paddings.push({ every, by: stride * (extent - whole) });
    stride *= extent;
  }
  return { shape, layout: counted(Object.keys(shape), elementBytes, digits), paddings, swizzle: kind };
}

export interface PaddedShared extends Padding {
  /** Powers of two, but for the first extent. */
  readonly shape: Shape;
  readonly elementBytes: number;
}

/** Row-major, with bytes put in after each so many: Gluon's PaddedSharedLayout. */
export function paddedShared({ shape, elementBytes, every, by }: PaddedShared): SharedLayout {
  const dense = sharedLayout({ shape, elementBytes, swizzle: "none" });
  if (dense.paddings.length > 0) throw new RangeError("Padding takes a shape of powers of two, but for its first extent.");
  if (every % elementBytes !== 0 || by % elementBytes !== 0 || every < elementBytes || by < 0)
    throw new RangeError(`Padding of ${by} bytes after each ${every} would part the ${elementBytes} bytes of an element.`);
  return { ...dense, paddings: [{ every, by }] };
}

/** A linear layout of shared memory as one of any extents. */
export const plainShared = (layout: LinearLayout): SharedLayout => ({
  shape: Object.fromEntries(layout.outputs.map((d) => [d.name, d.size])),
  layout,
  paddings: [],
  swizzle: "none",
});

/** The whole as one linear map, from offset to element; undefined where paddings are in it. */
export const linearOf = ({ layout, paddings, swizzle: kind }: SharedLayout): LinearLayout | undefined =>
  paddings.length > 0 ? undefined : compose(swizzle(kind, inputSize(layout, "offset")), layout);

const padded = (paddings: readonly Padding[], offset: number): number =>
  paddings.reduce((sum, { every, by }) => sum + Math.floor(offset / every) * by, offset);

/** Makes what gives the byte at which an element begins, from that of the first. */
export function addressing({ layout, paddings, swizzle: kind }: SharedLayout): (element: Point) => number {
  const back = pseudoInverse(layout);
  const mask = (patternBytes(kind) / 128 - 1) << 4;
  return (element) => {
    const address = padded(paddings, apply(back, element).offset ?? 0);
    return kind === "none" ? address : address ^ ((address >> 3) & mask);
  };
}

/** Bytes of a tile, with those between its elements; where it is swizzled, in whole lines of 128. */
export function sharedBytes({ shape, layout, paddings, swizzle: kind }: SharedLayout): number {
  const whole = layout.outputs.every(({ name, size }) => shape[name] === size);
  const last = Object.fromEntries(layout.outputs.map(({ name, size }) => [name, (shape[name] ?? size) - 1]));
  const bytes = elementBytesOf(layout);
  const offset = whole ? inputSize(layout, "offset") - bytes : (apply(pseudoInverse(layout), last).offset ?? 0);
  const end = padded(paddings, offset) + bytes;
  return kind === "none" ? end : Math.ceil(end / 128) * 128;
}

/** Bytes of an element: how many of the lowest bits of the offset stay within one. */
export function elementBytesOf(layout: LinearLayout): number {
  const bases = layout.inputs.find((d) => d.name === "offset")?.bases ?? [];
  const inside = bases.findIndex((basis) => basis.some((x) => x !== 0));
  return 2 ** (inside < 0 ? bases.length : inside);
}
