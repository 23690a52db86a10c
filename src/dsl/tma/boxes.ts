import { type Dimension, isRowMajor, patternBytes, shapeOf, slice } from "../../layout/modes.ts";
import { swizzleBytes } from "../../tensor-map.ts";
import { failHere } from "../fail-here.ts";
import { elementBytes } from "../memory/dtype.ts";
import { alignmentAt, SharedViewObject } from "../memory/shared-view.ts";
import type { SharedView } from "../memory/types.ts";
import { describe } from "../numbers/operands.ts";
import type { TMA } from "./tma.ts";

/** One box of a transfer. */
export interface Box {
  /** Bytes from the view's first element. */
  readonly offset: number;
  /** Elements from the transfer's coordinates, outermost first. */
  readonly at: readonly number[];
}

const list = (numbers: readonly number[]): string => numbers.join(", ");

/** The shared side of a transfer, checked against the map. W4503, W4504, W4507, W4516. */
export function sharedSide(map: TMA, name: string, view: SharedView): SharedViewObject {
  const given: unknown = view;
  if (!(given instanceof SharedViewObject)) return failHere("W4516", { given: describe(given) });
  if (given.dtype !== map.dtype && !bothF32(given.dtype, map.dtype)) {
    failHere("W4503", { given: given.dtype, map: map.dtype, name });
  }
  if (given.swizzle !== map.swizzle) failHere("W4504", { given: given.swizzle, map: map.swizzle, name });
  checkAlignment(given, Math.max(128, patternBytes(map.swizzle)), map.swizzle === "none" ? "" : ` for swizzle "${map.swizzle}"`);
  return given;
}

const bothF32 = (a: string, b: string): boolean => ["f32", "tf32"].includes(a) && ["f32", "tf32"].includes(b);

/** Refuses what is surely not aligned; a staged part of the offset is trusted. */
export function checkAlignment(view: SharedViewObject, align: number, why: string): void {
  const known = alignmentAt(view.parts, view.parts.offset.fixed);
  if (known < align) failHere("W4507", { known, align, why });
}

/** The boxes of a view, in row-major order. W4505, W4506, W4507. */
export function boxesOf(map: TMA, name: string, view: SharedViewObject): readonly Box[] {
  if (map.map.mode === "im2col") return im2colBox(map, name, view);
  const box: readonly number[] = map.box;
  const layout = fullRank(view.parts.layout, box.length);
  const shape = shapeOf(layout);
  const refuse = (): never => failHere("W4505", { shape: list(view.shape), box: list(box), name });
  if (layout.length !== box.length || shape.some((extent, d) => extent % (box[d] ?? 1) !== 0)) refuse();
  let boxes: readonly Box[] = [{ offset: 0, at: [] }];
  const first: Dimension[] = [];
  layout.forEach((dimension, d) => {
    const extent = box[d] ?? 1;
    const parts = Array.from({ length: (shape[d] ?? 1) / extent }, (_, i) => ({
      start: i * extent,
      part: slice(dimension, i * extent, extent),
    }));
    if (parts.some((p) => !p.part)) failHere("W4506", { box: list(box), name });
    first.push(parts[0]?.part?.dimension ?? dimension);
    boxes = boxes.flatMap((b) => parts.map((p) => ({ offset: b.offset + (p.part?.offset ?? 0), at: [...b.at, p.start] })));
  });
  if (!liesAsBox(first, map, elementBytes[view.dtype])) failHere("W4506", { box: list(box), name });
  const align = Math.max(128, patternBytes(map.swizzle));
  const stray = boxes.find((b) => b.offset % align !== 0);
  if (stray)
    failHere("W4507", {
      known: stray.offset & -stray.offset,
      align,
      why: map.swizzle === "none" ? "" : ` for swizzle "${map.swizzle}"`,
    });
  return boxes;
}

/** Row by row; rows shorter than the span of the swizzle lie at multiples of it (docs/hardware.md). */
function liesAsBox(layout: readonly Dimension[], { swizzle, box }: TMA, bytes: number): boolean {
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

function im2colBox(map: TMA, name: string, view: SharedViewObject): readonly Box[] {
  const whole = view.bytes === map.bytes && isRowMajor(view.parts.layout, elementBytes[view.dtype]);
  if (!whole) failHere("W4505", { shape: list(view.shape), box: list([...map.box]), name });
  return [{ offset: 0, at: new Array<number>(map.box.length).fill(0) }];
}
