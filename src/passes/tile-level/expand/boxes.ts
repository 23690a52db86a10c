/** The boxes that a TMA transfer moves: whether a box of the map divides the view, lies in it as TMA lays it out, and is aligned. base/tensor-map.ts checks the map itself. */

import { elementBytes } from "../../../base/element-types.ts";
import { swizzleBytes } from "../../../base/tensor-map.ts";
import type { Attrs } from "../../../ir/index.ts";
import { type Dimension, isRowMajor, patternBytes, shapeOf, slice } from "../../../layout/modes/index.ts";
import { type Expansion, refuse } from "./expansion.ts";
import { alignmentAt } from "./operands.ts";
import type { SharedParts } from "./parts.ts";

/** One box of a transfer. */
export interface Box {
  /** Bytes from the view's first element. */
  readonly offset: number;
  /** Elements from the transfer's coordinates, outermost first. */
  readonly at: readonly number[];
}

type Map = Pick<Attrs<"copy.load">, "box" | "mode" | "name" | "swizzle">;

const list = (numbers: readonly number[]): string => numbers.join(", ");
const why = (swizzle: Map["swizzle"]): string => (swizzle === "none" ? "" : ` for swizzle "${swizzle}"`);

/** Refuses what is surely not aligned; a staged part of the offset is trusted. W4507. */
export function checkAlignment(x: Expansion, { type, offset }: SharedParts, align: number, because: string): void {
  const known = alignmentAt(type, offset.fixed);
  if (known < align) refuse(x, "W4507", { known, align, why: because });
}

/** The boxes of a view, in row-major order. W4505, W4506, W4507. */
export function boxesOf(x: Expansion, map: Map, view: SharedParts): readonly Box[] {
  const { layout: whole, dtype } = view.type;
  const { box, name, swizzle } = map;
  const align = Math.max(128, patternBytes(swizzle));
  checkAlignment(x, view, align, why(swizzle));
  if (map.mode === "im2col") return im2colBox(x, map, view);
  const layout = fullRank(whole, box.length);
  const shape = shapeOf(layout);
  if (layout.length !== box.length || shape.some((extent, d) => extent % (box[d] ?? 1) !== 0))
    refuse(x, "W4505", { shape: list(shapeOf(whole)), box: list(box), name });
  let boxes: readonly Box[] = [{ offset: 0, at: [] }];
  const first: Dimension[] = [];
  layout.forEach((dimension, d) => {
    const extent = box[d] ?? 1;
    const parts = Array.from({ length: (shape[d] ?? 1) / extent }, (_, i) => ({
      start: i * extent,
      part: slice(dimension, i * extent, extent),
    }));
    if (parts.some((p) => !p.part)) refuse(x, "W4506", { box: list(box), name });
    first.push(parts[0]?.part?.dimension ?? dimension);
    boxes = boxes.flatMap((b) => parts.map((p) => ({ offset: b.offset + (p.part?.offset ?? 0), at: [...b.at, p.start] })));
  });
  if (!liesAsBox(first, map, elementBytes[dtype])) refuse(x, "W4506", { box: list(box), name });
  const stray = boxes.find((b) => b.offset % align !== 0);
  if (stray) refuse(x, "W4507", { known: stray.offset & -stray.offset, align, why: why(swizzle) });
  return boxes;
}

/** Row by row; rows shorter than the span of the swizzle lie at multiples of it (docs/hardware.md). */
function liesAsBox(layout: readonly Dimension[], { swizzle, box }: Map, bytes: number): boolean {
  const row = layout.slice(-1);
  const pitch = Math.max((box.at(-1) ?? 1) * bytes, swizzle === "none" ? 0 : swizzleBytes[swizzle]);
  return isRowMajor(row, bytes) && isRowMajor(layout.slice(0, -1), pitch);
}

/** Leading dimensions of extent 1 are added or dropped. */
function fullRank(layout: readonly Dimension[], rank: number): readonly Dimension[] {
  let dims = layout;
  while (dims.length > rank && dims[0]?.every((m) => m.extent === 1)) dims = dims.slice(1);
  const missing = Math.max(0, rank - dims.length);
  return [...Array.from({ length: missing }, () => [{ extent: 1, stride: 0 }]), ...dims];
}

const product = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1);

function im2colBox(x: Expansion, { box, name }: Map, { type }: SharedParts): readonly Box[] {
  const shape = shapeOf(type.layout);
  const whole = product(shape) === product(box) && isRowMajor(type.layout, elementBytes[type.dtype]);
  if (!whole) refuse(x, "W4505", { shape: list(shape), box: list(box), name });
  return [{ offset: 0, at: new Array<number>(box.length).fill(0) }];
}
