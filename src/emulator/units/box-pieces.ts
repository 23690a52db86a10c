/** Tensor copies that do not land at once: what they have read, in pieces, and what is undefined until they have landed. */
import { type Pieces, spoiltByte } from "./async-queue.ts";
import type { Box, BoxRow } from "./box-rows.ts";
import { type Image, type Line, lineOf, swizzled } from "./swizzle.ts";

const pieceBytes = 16;
/** A swizzle keeps each chunk in its line. */
const lineBytes = 128;

const wholeLines = (bytes: number): number => Math.ceil(bytes / lineBytes) * lineBytes;

/** What `write` puts into an image of `bytes` from `start` on, to be put into the true one chunk by chunk. */
export function imagePieces(image: Image, start: number, bytes: number, write: (image: Image) => void): Pieces {
  const { mask, place } = image;
  const apart: Image = { ...lineOf(new Uint8Array(wholeLines(bytes))), place: start, mask };
  write(apart);
  return {
    count: bytes / pieceBytes,
    put: (piece) => {
      const at = swizzled(start + piece * pieceBytes, mask);
      image.bytes.set(apart.bytes.subarray(at - start, at - start + pieceBytes), at - place);
    },
  };
}

export function spoilImage({ bytes, place, mask }: Image, start: number, length: number): void {
  for (let i = 0; i < length; i += pieceBytes) {
    const at = swizzled(start + i, mask) - place;
    bytes.fill(spoiltByte, at, at + pieceBytes);
  }
}

/** The image as it is now. */
export function imageNow({ bytes, place, mask }: Image, start: number, length: number): Image {
  const from = start - place;
  return { ...lineOf(bytes.slice(from, from + wholeLines(length))), place: start, mask };
}

/** A box's rows in pieces; `put` moves elements of one row. */
export function rowPieces(box: Box, put: (row: BoxRow) => void): Pieces {
  const elements = Math.max(1, pieceBytes / box.elementBytes);
  const perRow = Math.ceil(box.rowElements / elements);
  return {
    count: perRow * box.rows.length,
    put: (piece) => {
      const row = box.rows[Math.floor(piece / perRow)];
      const begin = (piece % perRow) * elements;
      if (row) put({ ...row, first: Math.max(row.first, begin), end: Math.min(row.end, begin + elements) });
    },
  };
}

/** The elements of a tensor that a box covers; `origin`: byte 0 of the tensor in the line. */
export function spoilTensor(box: Box, { bytes }: Line, origin: number): void {
  const size = box.elementBytes;
  for (const row of box.rows) {
    for (let i = row.first; i < row.end; i += 1) {
      const at = origin + row.source + i * box.step * size;
      bytes.fill(spoiltByte, at, at + size);
    }
  }
}
