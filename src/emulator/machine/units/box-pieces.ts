/** Tensor copies that do not land at once: what they have read, in pieces, and what is undefined until they have landed. */
import { type Pieces, spoiltByte } from "./async-queue.ts";
import type { Box, BoxRow } from "./box-rows.ts";
import { type Image, type Line, lineOf, swizzled } from "./swizzle.ts";

const pieceBytes = 16;
/** A swizzle keeps each chunk in its line. */
const lineBytes = 128;

const wholeLines = (bytes: number): number => Math.ceil(bytes / lineBytes) * lineBytes;

/** Where the chunks of a box's rows lie from the beginning of its image. */
function chunksOf({ rows, pitch, imageBytes, bytes }: Box): readonly number[] {
  const all = Array.from({ length: imageBytes / pieceBytes }, (_, i) => i * pieceBytes);
  return pitch * rows.length === bytes ? all : all.filter((at) => at % pitch < bytes / rows.length);
}

/** What `write` puts into a box's image from `start` on, to be put into the true one chunk by chunk. */
export function imagePieces(image: Image, start: number, box: Box, write: (image: Image) => void): Pieces {
  const { mask, place } = image;
  const apart: Image = { ...lineOf(new Uint8Array(wholeLines(box.imageBytes))), place: start, mask };
  write(apart);
  const chunks = chunksOf(box);
  return {
    count: chunks.length,
    put: (piece) => {
      const at = swizzled(start + (chunks[piece] ?? 0), mask);
      image.bytes.set(apart.bytes.subarray(at - start, at - start + pieceBytes), at - place);
    },
  };
}

export function spoilImage({ bytes, place, mask }: Image, start: number, box: Box): void {
  for (const chunk of chunksOf(box)) {
    const at = swizzled(start + chunk, mask) - place;
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
