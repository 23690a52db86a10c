/**
 * What a store, or a reduction, writes behind the end of a row that ends elsewhere than at a multiple of 16 bytes: the manual does not speak of it, an H200 writes on to the
 * next one (docs/hardware.md, docs/decisions/0024). The bytes are those of the image in shared memory.
 */
import { bytesBehindRow } from "../../../base/tensor-map.ts";
import type { Box, BoxRow } from "./box-rows.ts";
import { type Image, type Line, swizzled } from "./swizzle.ts";
import type { RowTail, TensorMap } from "./types.ts";

/** Elements behind the end of a row that its last unit of 16 bytes holds, as far as they are in the image and in memory. */
function tailOf(row: BoxRow, { elementBytes, rowElements }: Box, room: number): number {
  if (row.first >= row.end) return 0;
  const end = row.end * elementBytes;
  const inMemory = Math.floor((room - row.source - end) / elementBytes);
  return Math.max(0, Math.min(bytesBehindRow(end) / elementBytes, rowElements - row.end, inMemory));
}

/** The box as the hardware writes it. `room`: where the memory that the tensor lies in ends, in bytes from byte 0 of the tensor. */
export function writtenBox(box: Box, room: number): Box {
  const tails = box.rows.map((row) => tailOf(row, box, room));
  if (tails.every((elements) => elements === 0)) return box;
  return { ...box, rows: box.rows.map((row, i) => ({ ...row, end: row.end + (tails[i] ?? 0) })) };
}

/** Whether a store or a reduction is known to write on behind a row. What those of im2col do there nobody has asked. */
export const isKnownToWriteOn = ({ mode }: TensorMap): boolean => mode === "tiled";

/** Where the bytes of a store come from and go to. */
export interface StoreSides {
  readonly map: TensorMap;
  readonly image: Image;
  /** Where the box begins in it. */
  readonly start: number;
  readonly tensor: { readonly line: Line; readonly origin: number };
}

/** What `reached` has of each row beyond `box`. */
export function rowTails(box: Box, reached: Box, { map, image, start, tensor }: StoreSides): RowTail[] {
  const size = box.elementBytes;
  return box.rows.flatMap((row, i): RowTail[] => {
    const bytes = ((reached.rows[i]?.end ?? row.end) - row.end) * size;
    if (bytes === 0) return [];
    const to = row.source + row.end * size;
    const from = start + row.image + row.end * size;
    let changes = false;
    for (let b = 0; b < bytes; b += 1)
      changes ||= tensor.line.bytes[tensor.origin + to + b] !== image.bytes[swizzled(from + b, image.mask) - image.place];
    return [{ address: map.address + to, bytes, changes }];
  });
}
