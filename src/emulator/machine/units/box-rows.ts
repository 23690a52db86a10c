/**
 * Which bytes of a tensor one TMA operation moves (PTX ISA 5.5.3, 5.5.4): rows of elements along the innermost dimension. The
 * image in shared memory is dense, innermost dimension first; rows and elements outside the tensor keep their place in it.
 */

import { elementBytes } from "../../../base/element-types.ts";
import type { Im2colMap, TiledMap } from "../../../base/tensor-map.ts";
import { swizzleBytes } from "../../../base/tensor-map.ts";
import { fail } from "../../errors/index.ts";
import { otherOrder } from "./box-places.ts";
import type { TensorMap } from "./types.ts";

/** A row of the image; elements `first` up to `end` are inside the tensor. */
export interface BoxRow {
  /** Byte of the image where the row begins. */
  readonly image: number;
  /** Byte of the tensor where element 0 would be. */
  readonly source: number;
  readonly first: number;
  readonly end: number;
}

export interface Box {
  readonly rows: readonly BoxRow[];
  readonly elementBytes: number;
  /** Elements of a row. */
  readonly rowElements: number;
  /** Elements of the tensor from one element of a row to the next. */
  readonly step: number;
  /** Of all rows: what an mbarrier counts. */
  readonly bytes: number;
  /** Of the image from one row to the next: more than a row where that is shorter than the span of the swizzle (docs/hardware.md). */
  readonly pitch: number;
  /** Of the image, with what lies between its rows. */
  readonly imageBytes: number;
}

const shape = (map: TiledMap | Im2colMap, rows: readonly BoxRow[], rowElements: number, step: number): Box => {
  const size = elementBytes[map.dtype];
  const [rowBytes, pitch] = [rowElements * size, pitchOf(map, rowElements)];
  return { rows, elementBytes: size, rowElements, step, bytes: rows.length * rowBytes, pitch, imageBytes: rows.length * pitch };
};

function pitchOf(map: TiledMap | Im2colMap, rowElements: number): number {
  const bytes = rowElements * elementBytes[map.dtype];
  return map.swizzle === "none" ? bytes : Math.max(bytes, swizzleBytes[map.swizzle]);
}

/** W9113, W9117, W9119, W9124. */
export function boxOf(map: TensorMap, coordinates: readonly number[], offsets: readonly number[] | undefined): Box {
  const rank = map.dims.length;
  if (coordinates.length !== rank) fail("W9113", { what: "coordinates", given: coordinates.length, rank });
  if (map.mode === "tiled") {
    if (offsets !== undefined) fail("W9117", { mode: "tile", instruction: "im2col" });
    // The manual does not say enough, and what an H200 answered fits no rule yet (docs/hardware.md).
    if (map.interleave !== "none") fail("W9124", { interleave: map.interleave });
    return tiledBox(map, coordinates);
  }
  if (offsets === undefined) fail("W9117", { mode: "im2col", instruction: "tile" });
  if (offsets.length !== rank - 2) fail("W9113", { what: "im2col offsets", given: offsets.length, rank: rank - 2 });
  return im2colBox(map, coordinates, offsets);
}

const noRow = { source: 0, first: 0, end: 0 };

function tiledBox(map: TiledMap, coordinates: readonly number[]): Box {
  const size = elementBytes[map.dtype];
  const stepOf = (d: number): number => (d === 0 && map.interleave === "none" ? 1 : (map.elementStrides[d] ?? 1));
  checkInnermost(map, coordinates, size);
  const counts = map.box.map((extent, d) => Math.ceil(extent / stepOf(d)));
  const rowElements = counts[0] ?? 1;
  const step = stepOf(0);
  const { first, end } = insideOf(coordinates[0] ?? 0, map.dims[0] ?? 1, rowElements, step);
  const pitch = pitchOf(map, rowElements);
  const rows: BoxRow[] = [];
  const walk = (d: number, source: number, inside: boolean): void => {
    if (d === 0) {
      const image = rows.length * pitch;
      rows.push(inside && first < end ? { image, source, first, end } : { image, ...noRow });
      return;
    }
    for (let i = 0; i < (counts[d] ?? 1); i += 1) {
      const at = (coordinates[d] ?? 0) + i * stepOf(d);
      walk(d - 1, source + at * (map.strides[d - 1] ?? 0), inside && at >= 0 && at < (map.dims[d] ?? 1));
    }
  };
  walk(map.dims.length - 1, (coordinates[0] ?? 0) * size, true);
  return shape(map, rows, rowElements, step);
}

/** The manual does not say so, but an H200 takes no other (docs/hardware.md). */
function checkInnermost(map: TiledMap, coordinates: readonly number[], size: number): void {
  const [coordinate = 0] = coordinates;
  const bytes = coordinate * size;
  if (map.interleave !== "none" || bytes % 16 === 0) return;
  fail("W9119", { coordinate, bytes, given: coordinates.join(", "), meant: otherOrder(map, coordinates)?.join(", ") });
}

/** Elements of a row that lie in [0, extent). */
function insideOf(start: number, extent: number, count: number, step: number): { first: number; end: number } {
  const first = Math.max(0, Math.ceil(-start / step));
  return { first, end: Math.min(count, Math.ceil((extent - start) / step)) };
}

/**
 * Pixels follow each other along W, H and D inside the box between the corners, then along N. The row of a pixel is read at
 * the pixel plus the offsets.
 */
function im2colBox(map: Im2colMap, coordinates: readonly number[], offsets: readonly number[]): Box {
  const size = elementBytes[map.dtype];
  const channel = coordinates[0] ?? 0;
  const { first, end } = insideOf(channel, map.dims[0] ?? 1, map.channels, 1);
  const at = coordinates.slice(1);
  const pitch = pitchOf(map, map.channels);
  const rows: BoxRow[] = [];
  for (let pixel = 0; pixel < map.pixels; pixel += 1) {
    const image = pixel * pitch;
    let source = channel * size;
    let inside = first < end;
    for (let d = 0; d < at.length; d += 1) {
      const place = (at[d] ?? 0) + (offsets[d] ?? 0);
      inside &&= place >= 0 && place < (map.dims[d + 1] ?? 1);
      source += place * (map.strides[d] ?? 0);
    }
    rows.push(inside ? { image, source, first, end } : { image, ...noRow });
    nextPixel(map, at);
  }
  return shape(map, rows, map.channels, 1);
}

function nextPixel(map: Im2colMap, at: number[]): void {
  const spatial = at.length - 1;
  for (let d = 0; d < spatial; d += 1) {
    const next = (at[d] ?? 0) + (map.elementStrides[d + 1] ?? 1);
    if (next <= (map.dims[d + 1] ?? 1) - 1 + (map.upper[d] ?? 0)) {
      at[d] = next;
      return;
    }
    at[d] = map.lower[d] ?? 0;
  }
  at[spatial] = (at[spatial] ?? 0) + 1;
}
